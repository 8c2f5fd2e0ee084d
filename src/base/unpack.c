/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* mremap() */
#include "src/base/unpack.h"

#include <inttypes.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* The most memory of a decoder.  zstd's own tool accepts windows of 128 MiB without an option; xz
 * -9 needs 65 MiB. */
#define WINDOW_LOG_MAX 27
#define XZ_MEMORY_MOST (UINT64_C(128) << 20)

/* Detects a gzip header, and no other. */
#define GZIP_WINDOW (16 + MAX_WBITS)

struct unpack {
	enum packing packing;
	struct unpack_limit limit;
	uint64_t taken, given;
	bool whole; /* between two members, or after the last one */
	union {
		z_stream gzip;
		ZSTD_DStream *zstd;
		lzma_stream xz;
	};
};

static const char *const names[] = {[PACKING_NONE] = "none",
				    [PACKING_GZIP] = "gzip",
				    [PACKING_ZSTD] = "zstd",
				    [PACKING_XZ] = "xz"};

const char *packing_name(enum packing packing)
{
	return names[packing];
}

/* zstd also begins with frames to be skipped, of sixteen numbers; pzstd writes them. */
static bool is_zstd(const uint8_t *data)
{
	return !memcmp(data, "\x28\xb5\x2f\xfd", 4) ||
	       ((data[0] & 0xf0) == 0x50 && !memcmp(data + 1, "\x2a\x4d\x18", 3));
}

enum packing packing_of(const void *data, size_t size)
{
	if (size < PACKING_MAGIC)
		return PACKING_NONE;
	if (!memcmp(data,
		    "\xfd"
		    "7zXZ\0",
		    6))
		return PACKING_XZ;
	if (!memcmp(data, "\x1f\x8b\x08", 3)) /* 8: deflate, the only method there is */
		return PACKING_GZIP;
	return is_zstd(data) ? PACKING_ZSTD : PACKING_NONE;
}

static bool start(struct unpack *u)
{
	switch (u->packing) {
	case PACKING_GZIP: return inflateInit2(&u->gzip, GZIP_WINDOW) == Z_OK;
	case PACKING_ZSTD:
		u->zstd = ZSTD_createDStream();
		return u->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax,
								       WINDOW_LOG_MAX));
	case PACKING_XZ:
		return lzma_stream_decoder(&u->xz, XZ_MEMORY_MOST, LZMA_CONCATENATED) == LZMA_OK;
	case PACKING_NONE: break;
	}
	return true;
}

struct unpack *unpack_create(enum packing packing, struct unpack_limit limit, struct bc_error *err)
{
	struct unpack *u = calloc(1, sizeof(*u));

	if (u) {
		u->packing = packing;
		u->limit = limit;
		if (start(u))
			return u;
	}
	unpack_destroy(u);
	bc_fail_nomem(err);
	return NULL;
}

void unpack_destroy(struct unpack *u)
{
	if (u && u->packing == PACKING_GZIP)
		inflateEnd(&u->gzip);
	else if (u && u->packing == PACKING_ZSTD)
		ZSTD_freeDStream(u->zstd);
	else if (u && u->packing == PACKING_XZ)
		lzma_end(&u->xz);
	free(u);
}

static bool damaged(const struct unpack *u, const char *why, struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT, "damaged %s data, byte %" PRIu64 ": %s", names[u->packing],
		       u->taken, why);
}

/* What one call may take: zlib counts in 32 bits. */
static uInt at_once(size_t size)
{
	return size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)size;
}

static void advance(struct unpack *u, struct unpack_step *step, size_t taken, size_t given)
{
	step->in += taken;
	step->in_size -= taken;
	step->got += given;
	u->taken += taken;
	u->given += given;
}

/* Zeros after the last member fill the last block of a tape; gzip ignores them, too. */
static bool next_member(struct unpack *u, struct unpack_step *step, struct bc_error *err)
{
	size_t zeros = 0;

	while (zeros < step->in_size && !step->in[zeros])
		zeros++;
	advance(u, step, zeros, 0);
	if (!step->in_size)
		return true;
	u->whole = false;
	return inflateReset(&u->gzip) == Z_OK || damaged(u, "cannot continue", err);
}

static bool step_gzip(struct unpack *u, struct unpack_step *step, struct bc_error *err)
{
	if (u->whole && (!next_member(u, step, err) || u->whole))
		return err->code == BC_OK;
	uInt in = at_once(step->in_size), capacity = at_once(step->capacity - step->got);
	u->gzip.next_in = (Bytef *)(uintptr_t)step->in; /* zlib reads it only */
	u->gzip.avail_in = in;
	u->gzip.next_out = step->out + step->got;
	u->gzip.avail_out = capacity;
	int result = inflate(&u->gzip, Z_NO_FLUSH);
	advance(u, step, in - u->gzip.avail_in, capacity - u->gzip.avail_out);
	u->whole = result == Z_STREAM_END;
	if (result == Z_MEM_ERROR)
		return bc_fail_nomem(err);
	return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR ||
	       damaged(u, u->gzip.msg ? u->gzip.msg : "not deflated", err);
}

static bool step_zstd(struct unpack *u, struct unpack_step *step, struct bc_error *err)
{
	ZSTD_inBuffer in = {step->in, step->in_size, 0};
	ZSTD_outBuffer out = {step->out, step->capacity, step->got};
	size_t left = ZSTD_decompressStream(u->zstd, &out, &in);
	bool moved = in.pos || out.pos > step->got;

	advance(u, step, in.pos, out.pos - step->got);
	switch (ZSTD_getErrorCode(left)) {
	case ZSTD_error_no_error: break;
	case ZSTD_error_memory_allocation: return bc_fail_nomem(err);
	case ZSTD_error_frameParameter_windowTooLarge:
		return bc_fail(err, BC_UNSUPPORTED,
			       "zstd data with a window of more than %d MiB, byte %" PRIu64,
			       1 << (WINDOW_LOG_MAX - 20), u->taken) ||
		       bc_hint(err, "decompress it first");
	default: return damaged(u, ZSTD_getErrorName(left), err);
	}
	if (moved) /* else it speaks of the frame that would come next */
		u->whole = !left;
	return true;
}

static bool step_xz(struct unpack *u, struct unpack_step *step, struct bc_error *err)
{
	size_t in = step->in_size, capacity = step->capacity - step->got;

	u->xz.next_in = step->in;
	u->xz.avail_in = in;
	u->xz.next_out = step->out + step->got;
	u->xz.avail_out = capacity;
	lzma_ret result = lzma_code(&u->xz, step->last ? LZMA_FINISH : LZMA_RUN);
	advance(u, step, in - u->xz.avail_in, capacity - u->xz.avail_out);
	switch (result) {
	case LZMA_STREAM_END: u->whole = true; break;
	case LZMA_OK:
	case LZMA_BUF_ERROR: break; /* it can do nothing without more of one or the other */
	case LZMA_MEM_ERROR: return bc_fail_nomem(err);
	case LZMA_MEMLIMIT_ERROR:
		return bc_fail(err, BC_UNSUPPORTED,
			       "xz data that needs more than %d MiB of memory, byte %" PRIu64,
			       (int)(XZ_MEMORY_MOST >> 20), u->taken) ||
		       bc_hint(err, "decompress it first");
	default:
		return damaged(u,
			       result == LZMA_OPTIONS_ERROR ? "an unknown kind" :
							      "not as it was written",
			       err);
	}
	return true;
}

static bool step_once(struct unpack *u, struct unpack_step *step, struct bc_error *err)
{
	switch (u->packing) {
	case PACKING_GZIP: return step_gzip(u, step, err);
	case PACKING_ZSTD: return step_zstd(u, step, err);
	case PACKING_XZ: return step_xz(u, step, err);
	case PACKING_NONE: break;
	}
	return bc_fail(err, BC_UNSUPPORTED, "is not compressed");
}

static bool in_limit(const struct unpack *u, struct bc_error *err)
{
	if (u->given <= u->limit.always ||
	    (u->given - u->limit.always) / u->limit.times <= u->taken)
		return true;
	return bc_fail(err, BC_UNSUPPORTED,
		       "%s data that expands to more than %" PRIu64 " MiB and %" PRIu64
		       " times its own size, byte %" PRIu64,
		       names[u->packing], u->limit.always >> 20, u->limit.times, u->taken) ||
	       bc_hint(err, "decompress it first");
}

bool unpack_step(struct unpack *u, struct unpack_step *step, struct bc_error *err)
{
	size_t before;
	uint64_t taken;

	err->code = BC_OK;
	do {
		before = step->got;
		taken = u->taken;
		if (!step_once(u, step, err) || !in_limit(u, err))
			return false;
	} while (step->got < step->capacity && (step->got > before || u->taken > taken));
	return true;
}

bool unpack_is_whole(const struct unpack *u)
{
	return u->whole;
}

uint64_t unpack_taken(const struct unpack *u)
{
	return u->taken;
}

enum packing unpack_packing(const struct unpack *u)
{
	return u->packing;
}

bool unpack_fail_cut(const struct unpack *u, struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT, "the %s data ends early, byte %" PRIu64 ": the file was cut",
		       names[u->packing], u->taken);
}

/* zlib does not report, and needs 32 KiB of window and its tables. */
#define GZIP_MEMORY ((size_t)48 << 10)

size_t unpack_memory(const struct unpack *u)
{
	switch (u->packing) {
	case PACKING_GZIP: return GZIP_MEMORY;
	case PACKING_ZSTD: return ZSTD_sizeof_DStream(u->zstd);
	case PACKING_XZ: return (size_t)lzma_memusage(&u->xz);
	case PACKING_NONE: break;
	}
	return 0;
}

/* Memory that can grow.  Pages that were not written to take no memory. */
struct growing {
	uint8_t *at; /* or MAP_FAILED */
	size_t size;
};

static bool grow(struct growing *memory)
{
	size_t size = 2 * memory->size;
	void *at = mremap(memory->at, memory->size, size, MREMAP_MAYMOVE);

	if (at == MAP_FAILED)
		return false;
	*memory = (struct growing){at, size};
	return true;
}

static bool unpack_all(struct unpack *unpack, struct unpack_step *step, struct growing *memory,
		       struct bc_error *err)
{
	while (step->got == step->capacity) {
		if (step->capacity && !grow(memory))
			return bc_fail_nomem(err);
		step->out = memory->at;
		step->capacity = memory->size;
		if (!unpack_step(unpack, step, err))
			return false;
	}
	return unpack->whole || unpack_fail_cut(unpack, err);
}

bool unpack_map(enum packing packing, const void *data, size_t size, const uint8_t **out,
		size_t *out_size, struct bc_error *err)
{
	struct unpack_step step = {.in = data, .in_size = size, .last = true};
	struct growing memory = {.size = (size_t)1 << 20};
	struct unpack *unpack = unpack_create(
		packing, (struct unpack_limit){UINT64_C(16) << 20, 256}, err); /* as sparse.c */

	if (!unpack)
		return false;
	memory.at =
		mmap(NULL, memory.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool ok = memory.at == MAP_FAILED ? bc_fail_nomem(err) :
					    unpack_all(unpack, &step, &memory, err);
	unpack_destroy(unpack);
	if (ok && step.got && mremap(memory.at, memory.size, step.got, 0) == MAP_FAILED)
		ok = bc_fail_nomem(err);
	if (!ok || !step.got) {
		if (memory.at != MAP_FAILED)
			munmap(memory.at, memory.size);
		memory.at = NULL;
	}
	*out = memory.at;
	*out_size = step.got;
	if (*out)
		(void)mprotect(memory.at, step.got, PROT_READ);
	return ok;
}
