/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/facts.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "src/elf/binary.h"
#include "src/samples/reader.h"

/* So many entries of a directory are looked at. */
#define FOLDER_LOOK 200

static bool peek_kind(const char *path, struct file_facts *out)
{
	char start[FILE_KIND_LOOK];
	struct bc_error ignored;
	size_t size;

	if (is_recording_folder(path)) {
		out->kind = FILE_SAMPLES;
		return true;
	}
	out->foreign = foreign_folder(path);
	if (out->foreign) {
		out->kind = FILE_FOREIGN;
		return true;
	}
	if (!file_peek(path, start, sizeof(start), &size, &ignored))
		return false;
	out->kind = file_kind_of((struct text){start, size}, &out->foreign);
	return true;
}

/* Of an entry of a directory: only a regular file is opened. */
static bool is_recording(const char *path)
{
	struct file_stream stream;
	char start[FILE_KIND_LOOK];
	struct bc_error ignored;
	size_t size;

	if (is_recording_folder(path))
		return true;
	if (!stream_open_named(path, NAMED_BY_FOLDER, &stream, &ignored))
		return false;
	stream.cut_will_do = true;
	bool ok = stream_read(&stream, start, sizeof(start), &size, &ignored);
	stream_close(&stream);
	return ok && file_kind_of((struct text){start, size}, NULL) == FILE_SAMPLES;
}

/* Counts what is in a directory: perf.data, of which the first by name is noted, and other files. */
static void look_into(const char *path, struct file_facts *out)
{
	DIR *folder = opendir(path);
	char file[PATH_MAX];
	int looked = 0;

	for (struct dirent *entry; folder && looked < FOLDER_LOOK && (entry = readdir(folder)); looked++) {
		int length = snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		if (*entry->d_name == '.' || length < 0 || (size_t)length >= sizeof(file))
			continue;
		if (!is_recording(file)) {
			out->others++;
			continue;
		}
		if (!out->recordings++ || strcmp(entry->d_name, out->recording) < 0)
			snprintf(out->recording, sizeof(out->recording), "%s", entry->d_name);
	}
	if (folder)
		closedir(folder);
}

static void look_at_binary(const char *path, struct file_facts *out)
{
	struct bc_error ignored;
	struct binary binary;

	if (!binary_map(path, &binary, &ignored))
		return;
	if (binary.kind != BINARY_SECTION) {
		out->opened = true;
		out->machine = binary.image.machine;
		out->trace = image_bolt_trace(&binary.image);
		out->id = binary.image.build_id;
		out->bolt = bolt_input_of(&binary.image);
	}
	binary_close(&binary);
}

void file_facts_look(const char *path, struct file_facts *out)
{
	struct stat st;

	*out = (struct file_facts){.kind = FILE_UNKNOWN};
	if (!strcmp(path, "-") || stat(path, &st))
		return;
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return; /* what is read from a pipe is gone */
	out->read = peek_kind(path, out);
	if (out->kind == FILE_BINARY || out->kind == FILE_SIDE)
		look_at_binary(path, out);
	if (S_ISDIR(st.st_mode) && !out->read) {
		out->read = true;
		out->kind = FILE_FOLDER;
		look_into(path, out);
	}
}
