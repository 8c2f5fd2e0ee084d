/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/aux/pt.h"

#include <stdlib.h>
#include <string.h>

enum {
	HEAD_TIP = 0x0d, /* of these the lower five bits */
	HEAD_PGE = 0x11,
	HEAD_PGD = 0x01,
	HEAD_FUP = 0x1d,
	HEAD_OTHER = 0x19,
	HEAD_MODE = 0x99,
	HEAD_TSC = 0x19,
	HEAD_MTC = 0x59,
	HEAD_TRIG = 0xd9,
	HEAD_EXTENDED = 0x02,
};

/* Second bytes. */
enum {
	EXT_CBR = 0x03,
	EXT_CFE = 0x13,
	EXT_PWRE = 0x22,
	EXT_PSBEND = 0x23,
	EXT_BEP = 0x33, /* with bit 7: a FUP follows */
	EXT_PIP = 0x43,
	EXT_EVD = 0x53,
	EXT_EXSTOP = 0x62, /* with bit 7: a FUP follows */
	EXT_BBP = 0x63,
	EXT_TMA = 0x73,
	EXT_PSB = 0x82,
	EXT_STOP = 0x83,
	EXT_PWRX = 0xa2,
	EXT_TNT = 0xa3,
	EXT_MWAIT = 0xc2,
	EXT_THIRD = 0xc3,
	EXT_VMCS = 0xc8,
	EXT_OVF = 0xf3,
	EXT_PTW = 0x12, /* of this the lower five bits */
	THIRD_MNT = 0x88,
};
#define FUP_FOLLOWS 0x80

enum sync {
	SEEKS_BEGIN, /* a PSB, in bytes that should have been packets */
	SEEKS,       /* ... in bytes after a gap */
	SYNCED,
};

enum position {
	NOWHERE, /* where the program is, is not known */
	OUTSIDE, /* it is where no trace is */
	INSIDE,
	LEFT, /* a FUP said that it leaves: TIP or PGD follows */
};

/* How far the time of a batch may lie back, in ticks: under a microsecond. */
#define PLACE_STEP 2048

/* A TSC that goes back by less was written late. */
#define TSC_SLIP 0x10000

/* A batch does not end between bits and so many targets after them: FLOW_BATCH_ROOM has room for
 * them, and for what a packet adds. */
#define TARGETS_MOST 24

/* What a packet came to. */
enum packet_outcome {
	DONE,
	CUT,   /* not taken: the batch ends in front of it */
	SHORT, /* more bytes must follow */
	BAD,   /* no packet */
};

static const uint8_t psb[16] = {2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
				2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82};

/* ---- times ---- */

static uint64_t scale(uint64_t ticks, uint32_t n, uint32_t d)
{
	return d ? ticks / d * n + ticks % d * n / d : 0;
}

static uint64_t of_crystal(const struct pt_decoder *d, uint64_t ticks)
{
	return scale(ticks, d->timing.tsc, d->timing.ctc);
}

/* The time is this. */
static void pass_time(struct pt_decoder *d, uint64_t now)
{
	d->now = now;
	if (d->cut_wanted || !now)
		return;
	if (!d->place || now - d->place >= PLACE_STEP) {
		d->cut_wanted = true;
		d->next_place = now;
	}
}

static void take_tsc(struct pt_decoder *d, uint64_t payload)
{
	const uint64_t above = UINT64_C(1) << 56;
	uint64_t now = payload | (d->now & ~(above - 1));

	if (now < d->now && d->now - now > above / 2)
		now += above; /* its 56 bits are full */
	d->tsc = now;
	if (now < d->now && d->now - now < TSC_SLIP)
		now = d->now;
	d->has_tma = false;
	d->cycles_at = now;
	d->cycles = 0;
	pass_time(d, now);
}

static void take_tma(struct pt_decoder *d, unsigned ctc, unsigned fast)
{
	unsigned shift = d->timing.mtc_shift, rest = ctc & ((1u << shift) - 1);

	d->has_tma = d->fresh_tma = d->timing.ctc && d->tsc;
	d->last_mtc = (uint8_t)(ctc >> shift);
	d->crystal = d->tsc - fast - of_crystal(d, rest);
	d->crystal_ticks = 0;
}

/* TMA shows 16 bits of the crystal's counter: of the first MTC's some may be above these. */
static void complete_mtc(struct pt_decoder *d, uint8_t mtc)
{
	unsigned shift = d->timing.mtc_shift;

	if (shift <= 8)
		return;
	unsigned missing = 1u << (16 - shift), last = d->last_mtc | (mtc & ~(missing - 1));
	d->last_mtc = (uint8_t)(last > mtc ? last - missing : last);
}

static void take_mtc(struct pt_decoder *d, uint8_t mtc)
{
	if (!d->has_tma)
		return;
	if (d->fresh_tma)
		complete_mtc(d, mtc);
	uint8_t passed = (uint8_t)(mtc - d->last_mtc);
	if (d->fresh_tma && (!passed || passed >= 0xf0))
		return; /* it is older than the TMA, or as old */
	d->fresh_tma = false;
	d->crystal_ticks += (uint64_t)(passed ? passed : 256) << d->timing.mtc_shift;
	d->last_mtc = mtc;
	uint64_t now = d->crystal + of_crystal(d, d->crystal_ticks);
	if (now < d->now)
		now = d->now;
	d->cycles_at = now;
	d->cycles = 0;
	pass_time(d, now);
}

static void take_cyc(struct pt_decoder *d, uint64_t cycles)
{
	d->cycles += cycles;
	if (!d->cycles_at || !d->cbr || d->cycles > UINT32_MAX)
		return;
	uint64_t now = d->cycles_at + scale(d->cycles, d->timing.ratio, d->cbr);
	if (d->has_tma) { /* no later than the next MTC */
		uint64_t next =
			d->crystal +
			of_crystal(d, d->crystal_ticks + (UINT64_C(1) << d->timing.mtc_shift));
		if (now > next)
			now = next;
	}
	if (now > d->now)
		pass_time(d, now);
}

/* ---- branch outcomes ---- */

static uint64_t reverse(uint64_t v)
{
	v = (v >> 1 & UINT64_C(0x5555555555555555)) | (v & UINT64_C(0x5555555555555555)) << 1;
	v = (v >> 2 & UINT64_C(0x3333333333333333)) | (v & UINT64_C(0x3333333333333333)) << 2;
	v = (v >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (v & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
	return __builtin_bswap64(v);
}

static void flush(struct pt_decoder *d, struct flow_batch *batch)
{
	if (!d->bit_count)
		return;
	flow_put_bits(batch, reverse(d->bits) >> (64 - d->bit_count), d->bit_count);
	d->counts.bits += d->bit_count;
	d->bits = 0;
	d->bit_count = 0;
}

static void put(struct pt_decoder *d, struct flow_batch *batch, enum flow_kind kind, uint64_t value)
{
	flush(d, batch);
	flow_put(batch, kind, value);
	d->counts.targets += kind == FLOW_TARGET;
}

static void lose(struct pt_decoder *d, struct flow_batch *batch)
{
	put(d, batch, FLOW_LOST, 0);
	d->position = NOWHERE;
}

/* Does the batch end in front of a packet that permits it?  It is of one time, and it has room for
 * what a packet can say. */
static bool ends_batch(struct pt_decoder *d, const struct flow_batch *batch)
{
	if (!d->cut_wanted)
		return flow_batch_full(batch);
	d->cut_wanted = false;
	d->place = d->next_place;
	return true;
}

static enum packet_outcome take_tnt(struct pt_decoder *d, uint64_t payload,
				    struct flow_batch *batch)
{
	unsigned count = 63u - (unsigned)__builtin_clzll(payload | 1);

	if (!count)
		return BAD;
	if (ends_batch(d, batch))
		return CUT;
	payload &= ~(UINT64_C(1) << count);
	d->targets_behind = 0;
	d->overflown = false;
	if (d->position != INSIDE) {
		if (d->position != NOWHERE)
			lose(d, batch);
		d->counts.dropped += count;
		return DONE;
	}
	if (d->bit_count + count > 64)
		flush(d, batch);
	d->bits = d->bits << count | payload;
	d->bit_count += count;
	return DONE;
}

static void take_tip(struct pt_decoder *d, bool has_ip, struct flow_batch *batch)
{
	d->targets_behind++;
	switch (d->position) {
	case INSIDE:
		put(d, batch, has_ip ? FLOW_TARGET : FLOW_STOP, has_ip ? d->last_ip : 0);
		break;
	case OUTSIDE:
		lose(d, batch);
		/* fallthrough */
	default:
		if (has_ip)
			put(d, batch, FLOW_BEGIN, d->last_ip);
		break;
	}
	d->position = has_ip ? INSIDE : NOWHERE;
}

/* After a PSB that is written when the trace is switched on the address can be known again, some
 * instructions later. */
static void take_pge(struct pt_decoder *d, bool has_ip, struct flow_batch *batch)
{
	if (has_ip)
		put(d, batch, FLOW_BEGIN, d->last_ip);
	d->position = has_ip ? INSIDE : NOWHERE;
}

static void take_pgd(struct pt_decoder *d, bool has_ip, struct flow_batch *batch)
{
	if (d->position == INSIDE)
		put(d, batch, FLOW_STOP, has_ip ? d->last_ip : 0);
	d->position = OUTSIDE;
}

static void take_fup(struct pt_decoder *d, struct flow_batch *batch)
{
	if (d->overflown) {
		put(d, batch, FLOW_AT, d->last_ip);
		d->position = INSIDE;
	} else if (!d->bound) {
		if (d->position == INSIDE)
			put(d, batch, FLOW_LEAVE, d->last_ip);
		if (d->position != OUTSIDE)
			d->position = LEFT;
	}
	d->bound = false;
}

/* Where PSBEND is, or should be. */
static void end_header(struct pt_decoder *d, struct flow_batch *batch)
{
	d->header = false;
	if (d->header_ip) {
		if (d->position == OUTSIDE || d->position == LEFT)
			lose(d, batch);
		put(d, batch, FLOW_AT, d->last_ip);
		d->position = INSIDE;
	} else {
		if (d->position == INSIDE)
			lose(d, batch);
		d->position = OUTSIDE;
	}
}

static void begin_header(struct pt_decoder *d, struct flow_batch *batch)
{
	flush(d, batch);
	d->sync = SYNCED;
	d->header = true;
	d->header_ip = d->bound = d->overflown = false;
	d->item_size = 0;
	d->last_ip = 0;
}

/* Bytes of an address; -1: no such form. */
static int ip_size(unsigned form)
{
	static const int8_t sizes[8] = {0, 2, 4, 6, 6, -1, 8, -1};

	return sizes[form];
}

static uint64_t le48(const uint8_t *p)
{
	return le32(p) | (uint64_t)le16(p + 4) << 32;
}

static void set_ip(struct pt_decoder *d, unsigned form, const uint8_t *p)
{
	uint64_t low;

	switch (form) {
	case 1: d->last_ip = (d->last_ip & ~UINT64_C(0xffff)) | le16(p); break;
	case 2: d->last_ip = (d->last_ip & ~UINT64_C(0xffffffff)) | le32(p); break;
	case 3:
		low = le48(p);
		d->last_ip = low >> 47 ? low | UINT64_C(0xffff) << 48 : low;
		break;
	case 4: d->last_ip = (d->last_ip & UINT64_C(0xffff) << 48) | le48(p); break;
	default: d->last_ip = le64(p); break;
	}
}

/* TIP, PGE, PGD, FUP */
static enum packet_outcome take_ip(struct pt_decoder *d, const uint8_t **p, const uint8_t *end,
				   struct flow_batch *batch)
{
	unsigned head = **p & 0x1f, form = **p >> 5;
	int size = ip_size(form);

	if (size < 0)
		return BAD;
	if (end - *p < 1 + size)
		return SHORT;
	if (d->header && head != HEAD_FUP)
		end_header(d, batch);
	if (!d->header && (head != HEAD_TIP || d->targets_behind >= TARGETS_MOST) &&
	    ends_batch(d, batch))
		return CUT;
	if (head == HEAD_PGE && d->place) {
		/* What follows began after what came before, and before the time that is reported
		 * next.
		 */
		d->place = 0;
		d->cut_wanted = false;
		return CUT;
	}
	if (size)
		set_ip(d, form, *p + 1);
	*p += 1 + size;
	d->item_size = head == HEAD_FUP ? d->item_size : 0;
	switch (head) {
	case HEAD_TIP: take_tip(d, size, batch); break;
	case HEAD_PGE: take_pge(d, size, batch); break;
	case HEAD_PGD: take_pgd(d, size, batch); break;
	default:
		if (d->header)
			d->header_ip = size;
		else if (size)
			take_fup(d, batch);
		break;
	}
	if (head != HEAD_FUP)
		d->bound = false;
	d->overflown = false;
	return DONE;
}

/* ---- packets ---- */

static enum packet_outcome take_cyc_packet(struct pt_decoder *d, const uint8_t **p,
					   const uint8_t *end)
{
	const uint8_t *q = *p;
	uint64_t cycles = *q >> 3;
	bool more = *q++ & 4;

	for (unsigned shift = 5; more; shift += 7) {
		if (shift > 64)
			return BAD;
		if (q == end)
			return SHORT;
		if (shift < 64)
			cycles |= (uint64_t)(*q >> 1) << shift;
		more = *q++ & 1;
	}
	*p = q;
	take_cyc(d, cycles);
	return DONE;
}

/* The sizes of packets with two bytes in front, all in all; 0: none such. */
static unsigned extended_size(uint8_t second)
{
	switch (second) {
	case EXT_PSB: return sizeof(psb);
	case EXT_TNT:
	case EXT_PIP: return 8;
	case EXT_TMA:
	case EXT_VMCS:
	case EXT_PWRX: return 7;
	case EXT_CBR:
	case EXT_PWRE:
	case EXT_CFE: return 4;
	case EXT_THIRD:
	case EXT_EVD: return 11;
	case EXT_MWAIT: return 10;
	case EXT_BBP: return 3;
	case EXT_STOP:
	case EXT_OVF:
	case EXT_PSBEND:
	case EXT_EXSTOP:
	case EXT_EXSTOP | FUP_FOLLOWS:
	case EXT_BEP:
	case EXT_BEP | FUP_FOLLOWS: return 2;
	default: break;
	}
	if ((second & 0x1f) == EXT_PTW)
		return (second >> 5 & 3) == 0 ? 6 : (second >> 5 & 3) == 1 ? 10 : 0;
	return 0;
}

/* Is a packet one of those that are between PSB and PSBEND? */
static bool in_header(uint8_t second)
{
	return second == EXT_PIP || second == EXT_TMA || second == EXT_VMCS || second == EXT_CBR ||
	       second == EXT_THIRD || second == EXT_PSBEND || second == EXT_OVF;
}

static void overflow(struct pt_decoder *d, struct flow_batch *batch)
{
	d->counts.overflows++;
	d->header = d->bound = false;
	d->last_ip = 0;
	lose(d, batch);
	d->overflown = true;
}

static enum packet_outcome take_extended(struct pt_decoder *d, const uint8_t **p,
					 const uint8_t *end, struct flow_batch *batch)
{
	const uint8_t *q = *p;

	if (end - q < 2)
		return SHORT;
	uint8_t second = q[1];
	unsigned size = extended_size(second);
	if (!size || (second == EXT_THIRD && end - q > 2 && q[2] != THIRD_MNT))
		return BAD;
	if ((size_t)(end - q) < size)
		return SHORT;
	if (d->header && !in_header(second))
		end_header(d, batch);
	if ((second == EXT_PSB || second == EXT_PSBEND || second == EXT_OVF ||
	     second == EXT_STOP) &&
	    ends_batch(d, batch))
		return CUT;
	switch (second) {
	case EXT_TNT: {
		enum packet_outcome outcome = take_tnt(d, le48(q + 2), batch);
		if (outcome != DONE)
			return outcome;
		break;
	}
	case EXT_PSB:
		if (memcmp(q, psb, sizeof(psb)) != 0)
			return BAD;
		begin_header(d, batch);
		break;
	case EXT_PSBEND:
		if (d->header)
			end_header(d, batch);
		break;
	case EXT_OVF: overflow(d, batch); break;
	case EXT_TMA: take_tma(d, le16(q + 2), q[5] | (q[6] & 1u) << 8); break;
	case EXT_CBR: d->cbr = q[2]; break;
	case EXT_BBP: d->item_size = q[2] & 0x80 ? 4 : 8; break;
	case EXT_STOP:
		if (d->position == INSIDE)
			lose(d, batch);
		d->position = OUTSIDE;
		break;
	case EXT_CFE: d->bound |= (q[2] & FUP_FOLLOWS) != 0; break;
	case EXT_EXSTOP | FUP_FOLLOWS:
	case EXT_BEP | FUP_FOLLOWS: d->bound = true; break;
	default: d->bound |= (second & 0x9f) == (EXT_PTW | FUP_FOLLOWS); break;
	}
	/* Times are between OVF and its FUP, and within blocks of items. */
	bool is_time = second == EXT_TMA || second == EXT_CBR || second == EXT_THIRD;
	d->overflown &= is_time || second == EXT_OVF;
	if (!is_time && second != EXT_BBP && second != EXT_PWRE && second != EXT_PWRX &&
	    (second & 0x7f) != EXT_EXSTOP)
		d->item_size = 0;
	*p = q + size;
	return DONE;
}

/* MODE, TSC, MTC, TRIG */
static enum packet_outcome take_other(struct pt_decoder *d, const uint8_t **p, const uint8_t *end,
				      struct flow_batch *batch)
{
	const uint8_t *q = *p;
	size_t left = (size_t)(end - q), size = *q == HEAD_TSC ? 8 : *q == HEAD_TRIG ? 3 : 2;

	if (*q != HEAD_MODE && *q != HEAD_TSC && *q != HEAD_MTC && *q != HEAD_TRIG)
		return BAD;
	if (left < size)
		return SHORT;
	if (*q == HEAD_TRIG && q[1] & 0x40)
		size = 5; /* with a number of instructions */
	if (left < size)
		return SHORT;
	switch (*q) {
	case HEAD_TSC:
		take_tsc(d, le32(q + 1) | (uint64_t)le16(q + 5) << 32 | (uint64_t)q[7] << 48);
		break;
	case HEAD_MTC: take_mtc(d, q[1]); break;
	case HEAD_MODE:
		if (q[1] >> 5 > 1)
			return BAD;
		/* A transaction begins or ends at a FUP; where one is aborted the FUP is of an
		 * exception. */
		if (q[1] >> 5 == 1 && !(q[1] & 2) && d->position == INSIDE && !d->header)
			d->bound = true;
		d->overflown = false;
		d->item_size = 0;
		break;
	default:
		if (d->header)
			end_header(d, batch);
		d->bound |= (q[1] & FUP_FOLLOWS) != 0;
		d->overflown = false;
		break;
	}
	*p = q + size;
	return DONE;
}

static enum packet_outcome take_packet(struct pt_decoder *d, const uint8_t **p, const uint8_t *end,
				       struct flow_batch *batch)
{
	uint8_t head = **p;

	if (d->item_size && (head & 7) == 4) {
		if (end - *p < 1 + d->item_size)
			return SHORT;
		*p += 1 + d->item_size;
		return DONE;
	}
	if (!(head & 1)) {
		if (head == HEAD_EXTENDED)
			return take_extended(d, p, end, batch);
		if (head) {
			if (d->header)
				end_header(d, batch);
			enum packet_outcome outcome = take_tnt(d, head >> 1, batch);
			if (outcome != DONE)
				return outcome;
			d->item_size = 0;
		}
		++*p;
		return DONE;
	}
	if (head & 2)
		return take_cyc_packet(d, p, end);
	switch (head & 0x1f) {
	case HEAD_TIP:
	case HEAD_PGE:
	case HEAD_PGD:
	case HEAD_FUP: return take_ip(d, p, end, batch);
	case HEAD_OTHER: return take_other(d, p, end, batch);
	default: return BAD;
	}
}

/* The first PSB; or, without one, the bytes that can be the begin of one. */
static const uint8_t *find_psb(const uint8_t *p, const uint8_t *end, bool *found)
{
	*found = false;
	while (p < end) {
		const uint8_t *q = memchr(p, psb[0], (size_t)(end - p));
		if (!q)
			return end;
		size_t left = (size_t)(end - q), size = left < sizeof(psb) ? left : sizeof(psb);
		if (!memcmp(q, psb, size)) {
			*found = size == sizeof(psb);
			return q;
		}
		p = q + 1;
	}
	return end;
}

/* Whatever this was, it was no packet: where the next ones begin is not known until the next PSB.
 */
static void spoil(struct pt_decoder *d, struct flow_batch *batch)
{
	lose(d, batch);
	d->sync = SEEKS_BEGIN;
	d->header = d->bound = d->overflown = false;
	d->item_size = 0;
}

bool pt_read(struct pt_decoder *d, struct bytes *rest, struct flow_batch *batch)
{
	if (!rest->size)
		return false;
	const uint8_t *p = rest->data, *end = p + rest->size;
	bool stops = false;

	while (p < end) {
		if (d->sync != SYNCED) {
			bool found;
			const uint8_t *at = find_psb(p, end, &found);
			d->counts.bad_bytes += d->sync == SEEKS_BEGIN ? (uint64_t)(at - p) : 0;
			p = at;
			if (!found)
				break;
			d->sync = SYNCED;
		}
		enum packet_outcome outcome = take_packet(d, &p, end, batch);
		if (outcome == DONE)
			continue;
		if (outcome == BAD) {
			spoil(d, batch);
			d->counts.bad_bytes++;
			p++;
			continue;
		}
		stops = outcome == CUT;
		break;
	}
	flush(d, batch);
	*rest = p < end ? (struct bytes){p, (size_t)(end - p)} : (struct bytes){NULL, 0};
	return stops;
}

void pt_cut(struct pt_decoder *d, struct flow_batch *batch)
{
	lose(d, batch);
	d->sync = SEEKS;
	d->header = d->bound = d->overflown = false;
	d->item_size = 0;
}

/* ---- as a reader of perf.data ---- */

#define CONFIG_PT     UINT64_C(1)
#define CONFIG_BRANCH UINT64_C(0x2000)

struct pt_setup {
	struct pt_timing timing;
};

static uint64_t info_word(struct bytes info, enum pt_info number)
{
	return info.size / 8 > (size_t)number ? le64(info.data + 8 * (size_t)number) : 0;
}

/* mtc_shift is in some bits of config. */
static uint8_t mtc_shift_of(uint64_t bits, uint64_t config)
{
	if (!bits)
		return 0;
	return (uint8_t)((config & bits) >> __builtin_ctzll(bits) & 15);
}

static void *open_pt(struct bytes info, uint64_t config, struct flow_facts *facts,
		     struct bc_error *err)
{
	struct pt_setup *setup = calloc(1, sizeof(*setup));
	uint64_t shift = info_word(info, PT_INFO_SHIFT);

	if (!setup) {
		(void)bc_fail_nomem(err);
		return NULL;
	}
	setup->timing = (struct pt_timing){
		.mtc_shift = mtc_shift_of(info_word(info, PT_INFO_MTC_BITS), config),
		.tsc = (uint32_t)info_word(info, PT_INFO_CTC_N),
		.ctc = (uint32_t)info_word(info, PT_INFO_CTC_D),
		.ratio = (uint32_t)info_word(info, PT_INFO_RATIO),
	};
	facts->clock = (struct aux_clock){
		.known = shift < 64 && info_word(info, PT_INFO_MULT) &&
			 (uint32_t)info_word(info, PT_INFO_HAS_ZERO),
		.shift = (uint8_t)(shift & 63),
		.mult = info_word(info, PT_INFO_MULT),
		.zero = info_word(info, PT_INFO_ZERO),
	};
	if (config & CONFIG_PT && !(config & CONFIG_BRANCH))
		facts->refused = "without branches (it was recorded with branch=0)";
	return setup;
}

static struct flow_asks begin_pt(void *decoder, const void *setup, struct flow_source *source)
{
	struct pt_decoder *d = decoder;

	d->timing = ((const struct pt_setup *)setup)->timing;
	d->now = source->reference;
	return (struct flow_asks){.rules = FLOW_PT};
}

static bool read_pt(void *decoder, struct bytes *rest, struct flow_batch *batch)
{
	return pt_read(decoder, rest, batch);
}

static struct answer_place place_pt(const void *decoder)
{
	return (struct answer_place){.ticks = ((const struct pt_decoder *)decoder)->place};
}

static void cut_pt(void *decoder, bool within, struct flow_batch *batch)
{
	(void)within; /* a decoder begins at the next PSB */
	pt_cut(decoder, batch);
}

static struct answer_counts counts_pt(const void *decoder)
{
	return ((const struct pt_decoder *)decoder)->counts;
}

const struct flow_reader pt_reader = {
	.kind = 1,
	.decoder_size = sizeof(struct pt_decoder),
	.open = open_pt,
	.close = free,
	.begin = begin_pt,
	.read = read_pt,
	.place = place_pt,
	.cut = cut_pt,
	.counts = counts_pt,
};
