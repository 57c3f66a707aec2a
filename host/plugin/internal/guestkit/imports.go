package guestkit

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// The imports of every module, by index.
const (
	InputRead = iota
	ResultWrite
	Next
	HostCall
	ReplyRead
	Log

	ArgsGet
	ArgsSizesGet
	ClockResGet
	ClockTimeGet
	EnvironGet
	EnvironSizesGet
	FdClose
	FdFdstatGet
	FdFilestatGet
	FdPrestatDirName
	FdPrestatGet
	FdPwrite
	FdRead
	FdReaddir
	FdRenumber
	FdWrite
	PathOpen
	PathReadlink
	PathRename
	PollOneoff
	ProcExit
	RandomGet
	SchedYield
	SockAccept
	SockRecv
	SockSend
)

// WASI is the name of the module that has the functions of WASI.
const WASI = "wasi_snapshot_preview1"

// imports returns the imports of the ABI, and the functions of WASI that guests of tests need.
func imports() []wasmbin.Function {
	const i32, i64 = wasmbin.I32, wasmbin.I64
	params := func(n int) string { return strings.Repeat(i32, n) }
	of := func(module, name, params, results string) wasmbin.Function {
		return wasmbin.Function{Module: module, Name: name, Params: params, Results: results}
	}
	return []wasmbin.Function{
		of(abi.Module, abi.ImportInputRead, params(2), i32),
		of(abi.Module, abi.ImportResultWrite, params(2), i32),
		of(abi.Module, abi.ImportNext, params(2), i64),
		of(abi.Module, abi.ImportHostCall, params(4), i64),
		of(abi.Module, abi.ImportReplyRead, params(2), i32),
		of(abi.Module, abi.ImportLog, params(3), ""),

		of(WASI, "args_get", params(2), i32),
		of(WASI, "args_sizes_get", params(2), i32),
		of(WASI, "clock_res_get", params(2), i32),
		of(WASI, "clock_time_get", i32+i64+i32, i32),
		of(WASI, "environ_get", params(2), i32),
		of(WASI, "environ_sizes_get", params(2), i32),
		of(WASI, "fd_close", params(1), i32),
		of(WASI, "fd_fdstat_get", params(2), i32),
		of(WASI, "fd_filestat_get", params(2), i32),
		of(WASI, "fd_prestat_dir_name", params(3), i32),
		of(WASI, "fd_prestat_get", params(2), i32),
		of(WASI, "fd_pwrite", params(3)+i64+i32, i32),
		of(WASI, "fd_read", params(4), i32),
		of(WASI, "fd_readdir", params(3)+i64+i32, i32),
		of(WASI, "fd_renumber", params(2), i32),
		of(WASI, "fd_write", params(4), i32),
		of(WASI, "path_open", params(5)+i64+i64+params(2), i32),
		of(WASI, "path_readlink", params(6), i32),
		of(WASI, "path_rename", params(6), i32),
		of(WASI, "poll_oneoff", params(4), i32),
		of(WASI, "proc_exit", params(1), ""),
		of(WASI, "random_get", params(2), i32),
		of(WASI, "sched_yield", "", i32),
		of(WASI, "sock_accept", params(3), i32),
		of(WASI, "sock_recv", params(6), i32),
		of(WASI, "sock_send", params(5), i32),
	}
}
