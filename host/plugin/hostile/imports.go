package hostile

import "github.com/agenthost/agenthost/abi"

// The imports of every module, by index.
const (
	callInputRead = iota
	callResultWrite
	callNext
	callHostCall
	callReplyRead
	callLog

	callArgsGet
	callArgsSizesGet
	callClockResGet
	callClockTimeGet
	callEnvironGet
	callEnvironSizesGet
	callFdClose
	callFdFdstatGet
	callFdFilestatGet
	callFdPrestatDirName
	callFdPrestatGet
	callFdPwrite
	callFdRead
	callFdReaddir
	callFdRenumber
	callFdWrite
	callPathOpen
	callPathReadlink
	callPathRename
	callPollOneoff
	callProcExit
	callRandomGet
	callSchedYield
	callSockAccept
	callSockRecv
	callSockSend
)

const wasi = "wasi_snapshot_preview1"

// allImports returns the imports of the ABI, and the WASI functions that the corpus needs.
func allImports() []function {
	params := func(n int) string { return string(again(n, tI32[0])) }
	of := func(module, name, params, results string) function {
		return function{Module: module, Name: name, Params: params, Results: results}
	}
	return []function{
		of(abi.Module, abi.ImportInputRead, params(2), tI32),
		of(abi.Module, abi.ImportResultWrite, params(2), tI32),
		of(abi.Module, abi.ImportNext, params(2), tI64),
		of(abi.Module, abi.ImportHostCall, params(4), tI64),
		of(abi.Module, abi.ImportReplyRead, params(2), tI32),
		of(abi.Module, abi.ImportLog, params(3), ""),

		of(wasi, "args_get", params(2), tI32),
		of(wasi, "args_sizes_get", params(2), tI32),
		of(wasi, "clock_res_get", params(2), tI32),
		of(wasi, "clock_time_get", tI32+tI64+tI32, tI32),
		of(wasi, "environ_get", params(2), tI32),
		of(wasi, "environ_sizes_get", params(2), tI32),
		of(wasi, "fd_close", params(1), tI32),
		of(wasi, "fd_fdstat_get", params(2), tI32),
		of(wasi, "fd_filestat_get", params(2), tI32),
		of(wasi, "fd_prestat_dir_name", params(3), tI32),
		of(wasi, "fd_prestat_get", params(2), tI32),
		of(wasi, "fd_pwrite", params(3)+tI64+tI32, tI32),
		of(wasi, "fd_read", params(4), tI32),
		of(wasi, "fd_readdir", params(3)+tI64+tI32, tI32),
		of(wasi, "fd_renumber", params(2), tI32),
		of(wasi, "fd_write", params(4), tI32),
		of(wasi, "path_open", params(5)+tI64+tI64+params(2), tI32),
		of(wasi, "path_readlink", params(6), tI32),
		of(wasi, "path_rename", params(6), tI32),
		of(wasi, "poll_oneoff", params(4), tI32),
		of(wasi, "proc_exit", params(1), ""),
		of(wasi, "random_get", params(2), tI32),
		of(wasi, "sched_yield", "", tI32),
		of(wasi, "sock_accept", params(3), tI32),
		of(wasi, "sock_recv", params(6), tI32),
		of(wasi, "sock_send", params(5), tI32),
	}
}
