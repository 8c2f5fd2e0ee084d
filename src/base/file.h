/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opening, reading and mapping files.  Errors name the file. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/build_id.h"
#include "src/base/error.h"
#include "src/base/unpack.h"

/*
 * Files that an input names, not the user: a stranger's recording says which files were
 * mapped, a stranger's binary where its debug information is.  The program
 * opens such a file through this function only, and only if it is a regular file, for reading.
 * A FIFO or a device is not opened; if one takes the name of a file at the last
 * moment, it is opened without waiting and closed again.
 *
 * docs/security.md has the same list: who names files, and which command opens them.
 */

enum named_by {
	NAMED_BY_MAPPING,   /* a path in a recording, in maps, or of a process */
	NAMED_BY_BUILD_ID,  /* below the system's directory of debug files        */
	NAMED_BY_INPUT_ID,  /* next to a BOLTed binary, and where debug files lie */
	NAMED_BY_DEBUGLINK, /* .gnu_debuglink: where the debug file is         */
	NAMED_BY_ALTLINK,   /* .gnu_debugaltlink: what debug files share       */
	NAMED_BY_FOLDER,    /* an entry of a directory that the user named        */
	NAMED_BY_COUNT,
};

/* Links are followed.
 * BC_IO           it cannot be opened
 * BC_UNSUPPORTED  it is there, and no regular file */
BC_MUST_USE bool named_file_open(const char *path, enum named_by by, int *fd, struct bc_error *err);

/* A whole file in memory, for reading: mapped, or a copy of one that somebody else can
 * write to (file_is_anothers()). */
struct file_map {
	const uint8_t *data; /* NULL if size is 0 */
	size_t size;
	uint64_t present; /* bytes that are not left out; less than size in a side file, ... */
	bool head; /* ... and where only what shows what a binary is was read (binary_read_head())
	*/
	struct build_id digest; /* that a side file has: sparse.h; size 0: none */
};

/* Map or copy a regular file.  For a compressed file (unpack.h) that is its decompressed content,
 * of a side file (sparse.h) the file that it represents.  BC_IO: it cannot be opened or is not a
 * regular file. BC_FORMAT, BC_UNSUPPORTED, BC_NOMEM: of these only. */
BC_MUST_USE bool file_map(const char *path, struct file_map *out, struct bc_error *err);
void file_unmap(struct file_map *map);

/* The same for a file that an input names.  Errors also as of named_file_open(). */
BC_MUST_USE bool file_map_named(const char *path, enum named_by by, struct file_map *out,
				struct bc_error *err);

/* The same of a file that is open for reading, whatever its path leads to by now.  Takes the
 * descriptor. */
BC_MUST_USE bool file_map_opened(int fd, const char *path, struct file_map *out,
				 struct bc_error *err);

/*
 * The bytes of a file in memory of this program's own, where they cannot change while they are
 * read.  A mapped file changes with the file: whoever can write it can put another number where
 * one was checked, or end the file before what is read.
 */

/* Whether a user other than root and the one who runs this program can write to it: by its owner,
 * and the rights of its group and of all.  Such a file is copied, not mapped. */
bool file_is_anothers(const struct stat *st);

/* A part of a file that is there, and no hole. */
struct file_extent {
	uint64_t begin, end;
};

/* The first one in [from, end).  False: there is none.  Reading a hole takes time, and in a tmpfs
 * memory, too. */
BC_MUST_USE bool file_extent_next(int fd, uint64_t from, uint64_t end, struct file_extent *out);

/* Makes room for a copy, all zeros.  Memory is taken only for the parts that are read.  name: for
 * messages.  BC_NOMEM */
BC_MUST_USE bool file_copy_begin(uint64_t size, struct file_map *out, struct bc_error *err);

/* Reads what is there of [offset, offset + size), which must lie in the copy, and adds it to
 * copy->present.  What the file does not have any more stays zero.  BC_IO, BC_NOMEM */
BC_MUST_USE bool file_copy_read(int fd, const char *name, struct file_map *copy, uint64_t offset,
				uint64_t size, struct bc_error *err);

/* Reads from a position of a file: fewer bytes than `size` only at its end.  -1: errno says why. */
ssize_t file_read_at(int fd, void *to, size_t size, uint64_t offset);

/* Let the system take back the memory of a part of a mapped file that is hardly read again.  It can
 * still be read.  Memory that is no mapped file is not changed. */
void file_release(const void *part, size_t size);

/* The name of the file that is mapped at an address, as make_printable() leaves it, or NULL if it
 * is not known.  For the handler of SIGBUS, which comes if a mapped file becomes shorter or
 * its disk fails.  Async-signal-safe. */
const char *file_mapped_at(const void *address);

/* The first bytes of a regular file, decompressed.  For other files nothing is read, as they could
 * not be read again. */
BC_MUST_USE bool file_peek(const char *path, void *buffer, size_t size, size_t *out,
			   struct bc_error *err);

/* A file read from front to back: any kind of file, "-" is stdin.  A compressed one is
 * decompressed on the way, if the first read asks for PACKING_MAGIC bytes or more. */
struct file_stream {
	const char *name; /* for messages: the path, or "<stdin>"; borrowed */
	int fd;
	uint64_t size; /* of a regular file, else 0                         */
	uint64_t done; /* bytes of the file read so far                     */
	uint64_t told; /* of these, those that on_read() was called of before */

	const uint8_t *memory; /* its `size` bytes, instead of a descriptor; or NULL */

	struct packed *packed; /* what decompresses it; NULL: nothing */
	/* Set by the user: compressed data that ends early is no error, but sets `cut`.  A shard
	 * that was cut is one. */
	bool cut_will_do, cut;

	/* Called after every read; may be NULL. */
	void (*on_read)(void *ctx, const struct file_stream *stream);
	void *ctx;
};

/* Shows how far streams are read. */
struct input_progress {
	void (*show)(void *ctx, const struct file_stream *stream); /* by any thread; or NULL */
	void *ctx;
};

BC_MUST_USE bool stream_open(const char *path, struct file_stream *out, struct bc_error *err);
/* A file that an input names: a regular one.  Fails as named_file_open() does. */
BC_MUST_USE bool stream_open_named(const char *path, enum named_by by, struct file_stream *out,
				   struct bc_error *err);
void stream_close(struct file_stream *stream);

/* Read up to `size` bytes; short only at the end of the file.  *out is how
 * many were read.  BC_IO; of compressed files also what unpack_step() says, and of
 * shards what shard_check_end() does. */
BC_MUST_USE bool stream_read(struct file_stream *stream, void *buffer, size_t size, size_t *out,
			     struct bc_error *err);

/* The text of a whole file ("-": stdin), with a zero byte after it that *size does not count, for
 * free().  NULL after an error: those of stream_open() and stream_read(); BC_UNSUPPORTED: more than
 * `most` bytes, which are whole MiB; BC_NOMEM */
char *file_read_text(const char *path, size_t most, size_t *size, struct bc_error *err);

/* The same to nowhere.  What need not be read is passed over. */
BC_MUST_USE bool stream_skip(struct file_stream *stream, size_t size, size_t *out,
			     struct bc_error *err);

/* How it is compressed, once something was read, and how much of the file was taken. */
enum packing stream_packing(const struct file_stream *stream, uint64_t *taken);

/* Bytes of memory that decompressing takes, once something was read; 0: it is not compressed. */
size_t stream_memory(const struct file_stream *stream);

/* For a shard (shard_frames.h), once something was read, the identity that its first frame shows;
 * NULL: it is none, or shows none. */
const struct build_id *stream_shard_identity(const struct file_stream *stream);

/* "FILE: the gzip data ends early, byte N", once `cut` is set.  false. */
bool stream_fail_cut(const struct file_stream *stream, struct bc_error *err);

/* The descriptor's offset in the file, when something was read; -1 if the file is not seekable or
 * compressed. */
int64_t stream_position(const struct file_stream *stream);

/* What an input is called: "<stdin>" for "-", the path of most others. */
const char *input_name(const char *path);

#endif
