// Documents in msgpack, for the test host.

const utf8 = new TextEncoder(), text = new TextDecoder("utf-8", { fatal: true })

/** Encodes a value. A key whose value is undefined is left out; keys are sorted. */
export function encode(value) {
	const out = []
	write(out, value)
	return Uint8Array.from(out)
}

function write(out, value) {
	const bytes = (first, n, size) => {
		out.push(first)
		for (let i = size - 1; i >= 0; i--) out.push(Number((BigInt.asUintN(64, BigInt(n)) >> BigInt(8 * i)) & 255n))
	}
	const sized = (fix, most, first8, n) => {
		if (n <= most) out.push(fix | n)
		else if (first8 && n < 256) bytes(first8, n, 1)
		else if (n < 65536) bytes(first8 ? first8 + 1 : fix === 0x90 ? 0xdc : 0xde, n, 2)
		else bytes(first8 ? first8 + 2 : fix === 0x90 ? 0xdd : 0xdf, n, 4)
	}
	if (value === null) out.push(0xc0)
	else if (typeof value === "boolean") out.push(value ? 0xc3 : 0xc2)
	else if (typeof value === "bigint" || Number.isSafeInteger(value)) integer(out, bytes, value)
	else if (typeof value === "number") {
		const view = new DataView(new ArrayBuffer(8))
		view.setFloat64(0, value)
		bytes(0xcb, view.getBigUint64(0), 8)
	} else if (typeof value === "string") {
		const encoded = utf8.encode(value)
		sized(0xa0, 31, 0xd9, encoded.length)
		for (const byte of encoded) out.push(byte)
	} else if (value instanceof Uint8Array) {
		sized(0xc4, -1, 0xc4, value.length)
		for (const byte of value) out.push(byte)
	} else if (Array.isArray(value)) {
		sized(0x90, 15, 0, value.length)
		for (const element of value) write(out, element)
	} else if (typeof value === "object") {
		const keys = Object.keys(value).filter((key) => value[key] !== undefined).sort()
		sized(0x80, 15, 0, keys.length)
		for (const key of keys) {
			write(out, key)
			write(out, value[key])
		}
	} else throw new TypeError(`a ${typeof value} has no form in a document`)
}

function integer(out, bytes, n) {
	if (n >= 0) {
		if (n < 128) out.push(Number(n))
		else if (n < 2 ** 8) bytes(0xcc, n, 1)
		else if (n < 2 ** 16) bytes(0xcd, n, 2)
		else if (n < 2 ** 32) bytes(0xce, n, 4)
		else bytes(0xcf, n, 8)
	} else if (n >= -32) out.push(Number(n) & 0xff)
	else if (n >= -(2 ** 7)) bytes(0xd0, n, 1)
	else if (n >= -(2 ** 15)) bytes(0xd1, n, 2)
	else if (n >= -(2 ** 31)) bytes(0xd2, n, 4)
	else bytes(0xd3, n, 8)
}

/** Decodes one document. Integers beyond 2^53 become bigint, bytes Uint8Array. */
export function decode(bytes) {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
	let at = 0
	const uint = (size) => {
		let n = 0n
		for (let i = 0; i < size; i++) n = n << 8n | BigInt(view.getUint8(at++))
		return n
	}
	const take = (n) => {
		if (at + n > bytes.length) throw new RangeError("the document is cut")
		return bytes.slice(at, at += n)
	}
	const small = (n) => n >= Number.MIN_SAFE_INTEGER && n <= Number.MAX_SAFE_INTEGER ? Number(n) : n
	const list = (n) => Array.from({ length: n }, read)
	const map = (n) => Object.fromEntries(Array.from({ length: n }, () => [read(), read()]))
	function read() {
		const b = view.getUint8(at++)
		if (b < 0x80) return b
		if (b >= 0xe0) return b - 256
		if (b < 0x90) return map(b & 15)
		if (b < 0xa0) return list(b & 15)
		if (b < 0xc0) return text.decode(take(b & 31))
		if (b === 0xc0) return null
		if (b === 0xc2 || b === 0xc3) return b === 0xc3
		if (b >= 0xc4 && b <= 0xc6) return take(Number(uint(1 << (b - 0xc4))))
		if (b === 0xca || b === 0xcb) return b === 0xca ? view.getFloat32((at += 4) - 4) : view.getFloat64((at += 8) - 8)
		if (b >= 0xcc && b <= 0xcf) return small(uint(1 << (b - 0xcc)))
		if (b >= 0xd0 && b <= 0xd3) return small(BigInt.asIntN(8 << (b - 0xd0), uint(1 << (b - 0xd0))))
		if (b >= 0xd9 && b <= 0xdb) return text.decode(take(Number(uint(1 << (b - 0xd9)))))
		if (b === 0xdc || b === 0xdd) return list(Number(uint(2 << (b - 0xdc))))
		if (b === 0xde || b === 0xdf) return map(Number(uint(2 << (b - 0xde))))
		throw new TypeError(`the byte ${b} begins no value of a document`)
	}
	const value = read()
	if (at !== bytes.length) throw new TypeError("there are bytes after the document")
	return value
}
