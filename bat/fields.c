/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The stored fields one by one.  This is a second reader of the layouts, on
 * purpose: it keeps nothing and checks nothing but that each field ends within the
 * descriptor.  It shows the fields of a damaged table up to the damage, and
 * verify compares what the decoder made of a sound table with it.
 */
#include "bat/cursor.h"
#include "bat/layout.h"

struct walk {
	struct bat_cursor in;
	const struct bat_features *features;
	bat_field_fn *visit;
	void *ctx;
	struct bat_field field; /* the one that was read last                   */
	bool ended;             /* the visitor returned false                   */
	uint64_t output;        /* the address that the next difference is added to */
	uint64_t hot_index;     /* the one read last                            */
};

/* A function of the LEB128 layouts. */
struct function_bytes {
	uint64_t address;
	uint64_t skew;
	uint64_t entries;
	uint64_t secondary;
	uint64_t equal;
	const uint8_t *mask;
};

BAT_MUST_USE static bool get(struct walk *w, const char *name, enum bat_encoding encoding)
{
	struct bat_field *f = &w->field;
	const uint8_t *at = w->in.pos;
	uint32_t u32;
	bool ok = false;

	switch (encoding) {
	case BAT_ENCODING_U32:
		ok = cursor_u32(&w->in, name, &u32);
		f->stored = ok ? u32 : 0;
		break;
	case BAT_ENCODING_U64: ok = cursor_u64(&w->in, name, &f->stored); break;
	case BAT_ENCODING_ULEB: ok = cursor_uleb(&w->in, name, &f->stored); break;
	case BAT_ENCODING_SLEB: ok = cursor_sleb(&w->in, name, &f->stored); break;
	case BAT_ENCODING_BITS: break;
	}
	f->name = name;
	f->encoding = encoding;
	f->byte = (uint64_t)(at - w->in.begin);
	f->size = (uint64_t)(w->in.pos - at);
	return ok;
}

/* Show the field that was read last. */
static bool show(struct walk *w, uint64_t value)
{
	w->field.value = value;
	w->ended = !w->visit(w->ctx, &w->field);
	return !w->ended;
}

/* A field that is no difference to another one. */
static bool plain(struct walk *w, const char *name, enum bat_encoding encoding, uint64_t *out)
{
	if (!get(w, name, encoding))
		return false;
	*out = w->field.stored;
	return show(w, *out);
}

/* A difference to `running`, which takes the sum. */
static bool delta(struct walk *w, const char *name, enum bat_encoding encoding, uint64_t *running)
{
	if (!get(w, name, encoding))
		return false;
	*running += w->field.stored;
	return show(w, *running);
}

static bool equal_elems(struct walk *w, struct function_bytes *f)
{
	const uint8_t *at;

	if (!plain(w, "EqualElems", BAT_ENCODING_ULEB, &f->equal))
		return false;
	if (!f->equal)
		return true;
	at = w->in.pos;
	if (!cursor_bytes(&w->in, (size_t)(f->equal / 8 + !!(f->equal % 8)), "BranchEntries",
			  &f->mask))
		return false;
	w->field.name = "BranchEntries";
	w->field.encoding = BAT_ENCODING_BITS;
	w->field.byte = (uint64_t)(at - w->in.begin);
	w->field.size = (uint64_t)(w->in.pos - at);
	w->field.stored = 0;
	return show(w, 0);
}

static bool header(struct walk *w, struct function_bytes *f)
{
	bool hashed = w->features->hashed;
	uint64_t unused;

	if (w->field.cold && (!delta(w, "HotIndex", BAT_ENCODING_ULEB, &w->hot_index) ||
			      (hashed && !plain(w, "ColdInputSkew", BAT_ENCODING_ULEB, &f->skew))))
		return false;
	if (!w->field.cold && hashed &&
	    (!plain(w, "FuncHash", BAT_ENCODING_U64, &unused) ||
	     !plain(w, "NumBlocks", BAT_ENCODING_ULEB, &unused) ||
	     !plain(w, "NumSecEntryPoints", BAT_ENCODING_ULEB, &f->secondary)))
		return false;
	if (!plain(w, "NumEntries", BAT_ENCODING_ULEB, &f->entries))
		return false;
	if (w->field.cold ? w->features->equal_cold : w->features->equal_hot)
		return equal_elems(w, f);
	return true;
}

static bool entry(struct walk *w, const struct function_bytes *f, uint64_t j, uint64_t *input,
		  uint64_t *index)
{
	uint64_t unused;
	uint32_t offset;

	if (!get(w, "OutputOffset", BAT_ENCODING_ULEB))
		return false;
	w->output += w->field.stored;
	offset = (uint32_t)(w->output - f->address);
	if (!show(w, offset))
		return false;
	if (j < f->equal)
		*input = (offset + f->skew) << 1 | (f->mask[j / 8] >> j % 8 & 1);
	else if (!delta(w, "InputOffset", BAT_ENCODING_SLEB, input))
		return false;
	if (!w->features->hashed || *input & 1)
		return true;
	return plain(w, "BBHash", BAT_ENCODING_U64, &unused) &&
	       delta(w, "BBIdx", BAT_ENCODING_ULEB, index);
}

static bool entries(struct walk *w, const struct function_bytes *f)
{
	uint64_t input = 0, index = 0, secondary = 0;

	for (uint64_t j = 0; j < f->entries; j++) {
		w->field.entry = (uint32_t)j;
		if (!entry(w, f, j, &input, &index))
			return false;
	}
	for (uint64_t j = 0; j < f->secondary; j++) {
		w->field.entry = (uint32_t)j;
		if (!delta(w, "SecEntryPoint", BAT_ENCODING_ULEB, &secondary))
			return false;
	}
	return true;
}

static bool functions(struct walk *w, bool cold)
{
	uint64_t count;

	w->field.cold = cold;
	w->field.fragment = w->field.entry = BAT_NO_INDEX;
	if (!plain(w, "NumFuncs", BAT_ENCODING_ULEB, &count))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct function_bytes f = {.skew = 0};

		w->field.fragment = (uint32_t)i;
		w->field.entry = BAT_NO_INDEX;
		if (!delta(w, "Address", BAT_ENCODING_ULEB, &w->output))
			return false;
		f.address = w->output;
		if (!header(w, &f) || !entries(w, &f))
			return false;
	}
	return true;
}

static bool fixed_fragment(struct walk *w)
{
	uint64_t unused, count;

	w->field.entry = BAT_NO_INDEX;
	if (!plain(w, "OutputAddress", BAT_ENCODING_U64, &unused) ||
	    !plain(w, "NumEntries", BAT_ENCODING_U32, &count))
		return false;
	for (uint64_t j = 0; j < count; j++) {
		w->field.entry = (uint32_t)j;
		if (!plain(w, "OutputOffset", BAT_ENCODING_U32, &unused) ||
		    !get(w, "InputOffset", BAT_ENCODING_U32) ||
		    !show(w, (uint32_t)(w->field.stored << 1 | w->field.stored >> 31)))
			return false;
	}
	return true;
}

static bool fixed(struct walk *w)
{
	uint64_t unused, count;

	w->field.fragment = w->field.entry = BAT_NO_INDEX;
	if (!plain(w, "NumFragments", BAT_ENCODING_U32, &count))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		w->field.fragment = (uint32_t)i;
		if (!fixed_fragment(w))
			return false;
	}
	w->field.cold = true;
	w->field.fragment = w->field.entry = BAT_NO_INDEX;
	if (!plain(w, "NumCold", BAT_ENCODING_U32, &count))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		w->field.entry = (uint32_t)i;
		if (!plain(w, "ColdAddress", BAT_ENCODING_U64, &unused) ||
		    !plain(w, "HotAddress", BAT_ENCODING_U64, &unused))
			return false;
	}
	return true;
}

static bool at_end(const struct walk *w)
{
	return w->in.pos == w->in.end ||
	       bat_cursor_fail(&w->in, w->in.pos, "end", BAT_CAUSE_LEFT, "%zu bytes are left over",
			       cursor_left(&w->in));
}

bool bat_fields(enum bat_layout layout, const uint8_t *desc, size_t size, bat_field_fn *visit,
		void *ctx, struct bat_error *err)
{
	struct walk w = {.visit = visit, .ctx = ctx};
	struct bat_error unread = {0};
	bool read;

	err = err ? err : &unread;
	if (!bat_know_layout(layout, err))
		return false;
	w.in = (struct bat_cursor){desc, desc, desc + size, err};
	w.features = bat_layout_features(layout);
	read = w.features->fixed ? fixed(&w) : functions(&w, false) && functions(&w, true);

	err->layout = layout;
	return w.ended || (read && at_end(&w));
}
