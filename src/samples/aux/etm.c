/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/aux/etm.h"

#include <stdlib.h>

#include "src/samples/aux/queue.h"

#define KIND 3 /* of AUXTRACE_INFO */

/* ---- what the recorder knows of the units ----
 *
 *   u32 3, u32 0; u64 version (0 to 2), kind of event << 32 | processors, is it a snapshot
 *   of each processor: u64 unit, processor, [from version 1 on: count of those that follow],
 *       TRCCONFIGR, TRCTRACEIDR, TRCIDR0, TRCIDR1,
 *   TRCIDR2, TRCIDR8, TRCAUTHSTATUS, [ETE: TRCDEVARCH], [source of time stamps]
 */

#define UNIT_ETMV3 UINT64_C(0x3030303030303030)
#define UNIT_ETMV4 UINT64_C(0x4040404040404040)
#define UNIT_ETE   UINT64_C(0x5050505050505050)

#define VERSION_MOST 2
#define UNITS_MOST   65536

enum { CONFIG, TRACE_ID, IDR0, IDR1, IDR2, IDR8, AUTHSTATUS, DEVARCH, REGISTERS };

/* For TRCCONFIGR. */
#define CONFIG_RETURNS     (UINT64_C(1) << 12)
#define CONFIG_VMID_OPTION (UINT64_C(1) << 15)
/* What is there instead where simpleperf recorded: the options of the event. */
#define OPTION_RETURNS (UINT64_C(1) << 29)

#define ID_UNUSED        (UINT64_C(1) << 31) /* AUX_OUTPUT_HW_ID shows it */
#define SOURCE_OF_KERNEL 1 /* of time stamps: the counter that the kernel's clock reads, too */

/* Bits of a register. */
static uint32_t field(uint64_t word, unsigned low, unsigned bits)
{
	return (uint32_t)(word >> low & ((UINT64_C(1) << bits) - 1));
}

static uint8_t vmid_bytes(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 ? (uint8_t)size : 0;
}

static struct etm_unit unit_of(bool ete, uint32_t cpu, const uint64_t registers[static REGISTERS])
{
	/* 0x50 on is ETE, by the revision of its architecture. */
	uint32_t version =
		ete ? 0x50 | field(registers[DEVARCH], 16, 4) : field(registers[IDR1], 4, 8);
	uint64_t id = registers[TRACE_ID];

	return (struct etm_unit){
		.cpu = cpu,
		.id = id & ID_UNUSED || !(id & 0x7f) ? FLOW_NO_STREAM : (uint32_t)id & 0x7f,
		.depth = (uint32_t)registers[IDR8] < ETM_HELD_MOST / 2 ? (uint32_t)registers[IDR8] :
									 ETM_HELD_MOST / 2,
		.context_bytes = field(registers[IDR2], 5, 5) == 4 ? 4 : 0,
		.vmid_bytes = vmid_bytes(field(registers[IDR2], 10, 5)),
		.ete = ete,
		.returns = registers[CONFIG] & (CONFIG_RETURNS | OPTION_RETURNS),
		.vmid_is_context = registers[CONFIG] & CONFIG_VMID_OPTION,
		.counts_commit = !(registers[IDR0] >> 29 & 1),
		.marks_times = version >= 0x51 && registers[IDR0] >> 23 & 1,
		.transactions_are_p0 = !(registers[IDR0] >> 30 & 1),
		.waits_ask = version >= 0x43 && registers[IDR2] >> 31 & 1,
	};
}

struct words {
	struct bytes left;
	bool failed;
};

static uint64_t next_word(struct words *words)
{
	if (words->left.size < 8) {
		words->failed = true;
		return 0;
	}
	uint64_t word = le64(words->left.data);
	words->left = bytes_from(words->left, 8);
	return word;
}

/* One unit. */
static bool parse_unit(struct etm_setup *setup, struct words *words, uint64_t version,
		       struct flow_facts *facts, struct bc_error *err)
{
	uint64_t unit = next_word(words), cpu = next_word(words), registers[REGISTERS] = {0};
	bool ete = unit == UNIT_ETE;
	uint64_t known = ete ? REGISTERS : DEVARCH, count = version ? next_word(words) : known;

	if (unit == UNIT_ETMV3)
		facts->refused = "of ETMv3 or PTM, units of 32-bit processors";
	else if (unit != UNIT_ETMV4 && !ete)
		facts->refused = "of a trace unit that is not known";
	if (facts->refused)
		return true;
	bool same_clock = false;
	for (uint64_t i = 0; i < count && !words->failed; i++) {
		uint64_t word = next_word(words);
		if (i < known)
			registers[i] = word;
		else if (i == known)
			same_clock = word == SOURCE_OF_KERNEL;
	}
	facts->timeless |= !same_clock;
	return words->failed ||
	       etm_unit_vec_push(&setup->units, unit_of(ete, (uint32_t)cpu, registers)) ||
	       bc_fail_nomem(err);
}

static void etm_close(void *setup)
{
	struct etm_setup *etm = setup;

	etm_unit_vec_free(&etm->units);
	free(etm);
}

static bool parse_units(struct etm_setup *setup, struct bytes info, struct flow_facts *facts,
			struct bc_error *err)
{
	struct words words = {info, false};
	uint64_t version = next_word(&words), count = next_word(&words) & UINT32_MAX;

	next_word(&words);
	if (!words.failed && version > VERSION_MOST)
		facts->refused = "in a form of perf.data that is newer than what is known";
	for (uint64_t i = 0; i < count && i < UNITS_MOST && !words.failed && !facts->refused; i++)
		if (!parse_unit(setup, &words, version, facts, err))
			return false;
	if (words.failed)
		facts->refused = "whose record of what is known of them is cut";
	return true;
}

static void *etm_open(struct bytes info, uint64_t config, struct flow_facts *facts,
		      struct bc_error *err)
{
	struct etm_setup *setup = calloc(1, sizeof(*setup));

	(void)config; /* TRCCONFIGR says what came of it */

	if (!setup) {
		bc_fail_nomem(err);
		return NULL;
	}
	if (!parse_units(setup, info, facts, err)) {
		etm_close(setup);
		return NULL;
	}
	if (!setup->units.len && !facts->refused)
		facts->refused = "of no processor";
	return setup;
}

/* For AUX_OUTPUT_HW_ID: bits 7:0 the trace id, from minor version 1 (59:56) on 39:8 the sink. */
static bool etm_number(void *ctx, uint32_t cpu, uint64_t hw_id, struct bc_error *err)
{
	struct etm_setup *setup = ctx;

	(void)err;
	for (size_t i = 0; i < setup->units.len; i++)
		if (setup->units.at[i].cpu == cpu) {
			setup->units.at[i].id = field(hw_id, 0, 8) & 0x7f;
			setup->units.at[i].sink = field(hw_id, 56, 4) ? field(hw_id, 8, 32) : 0;
		}
	return true;
}

/* The unit of a buffer's processor; NULL: it is not of one. */
static const struct etm_unit *unit_of_cpu(const struct etm_setup *setup, uint32_t cpu)
{
	for (size_t i = 0; i < setup->units.len; i++)
		if (setup->units.at[i].cpu == cpu)
			return &setup->units.at[i];
	return NULL;
}

/* The unit of a trace id.  Two sinks can have the same ids: one of the sink that the buffer's
 * processor has is nearer. */
static const struct etm_unit *unit_of_id(const struct etm_setup *setup, uint32_t id,
					 const struct etm_unit *near)
{
	const struct etm_unit *found = NULL;

	if (near && near->id == id)
		return near;
	for (size_t i = 0; i < setup->units.len; i++) {
		const struct etm_unit *unit = &setup->units.at[i];
		if (unit->id == id &&
		    (!found || (near && unit->sink == near->sink && found->sink != near->sink)))
			found = unit;
	}
	return found;
}

/* ---- elements ---- */

enum etm_sync {
	SYNC_NONE,   /* looking for one */
	SYNC_WITHIN, /* the bytes so far are zeros, which must become one */
	SYNC_DONE,
};

enum element_kind {
	ELEMENT_ATOMS,     /* P0: `count` of them, the oldest in bit 0 */
	ELEMENT_EXCEPTION, /* P0; value 2: its address is the target of the branch before, too */
	ELEMENT_Q,         /* P0 */
	ELEMENT_SOURCE,    /* P0 */
	ELEMENT_NO_BRANCH, /* P0 that says nothing of branches: a transaction */
	ELEMENT_ADDRESS,   /* from here on none is P0 */
	ELEMENT_TRACE_ON,
	ELEMENT_SYNC,
	ELEMENT_CONTEXT,
	ELEMENT_TIME,
	ELEMENT_LOST,
};

static bool is_p0(const struct etm_element *element)
{
	return element->kind < ELEMENT_ADDRESS;
}

static void lose(struct etm_decoder *d, struct flow_batch *batch)
{
	if (!d->lost)
		flow_put(batch, FLOW_LOST, 0);
	d->lost = true;
	d->exception = 0;
}

static void put_address(struct etm_decoder *d, uint64_t address, struct flow_batch *batch)
{
	uint8_t kind = d->expects;

	d->expects = FLOW_TARGET;
	if (kind == FLOW_TARGET && d->lost)
		kind = FLOW_AT;
	d->lost = false;
	if (!d->exception || d->exception == 2 || kind != FLOW_TARGET) {
		flow_put(batch, (enum flow_kind)kind, address);
		d->counts.targets += kind == FLOW_TARGET;
	}
	if (d->exception)
		flow_put(batch, FLOW_LEAVE, address);
	d->exception = 0;
}

static void put_atoms(struct etm_decoder *d, uint64_t bits, unsigned count,
		      struct flow_batch *batch)
{
	if (d->lost) {
		d->counts.dropped += count;
		return;
	}
	flow_put_bits(batch, bits, count);
	d->counts.bits += count;
}

static void set_place(struct etm_decoder *d, struct answer_place place)
{
	d->moved |= place.ticks != d->place.ticks || place.context != d->place.context ||
		    place.has_context != d->place.has_context;
	d->place = place;
}

/* An element that is certain. */
static void apply(struct etm_decoder *d, const struct etm_element *element,
		  struct flow_batch *batch)
{
	struct answer_place place = d->place;

	if (d->exception && is_p0(element))
		lose(d, batch); /* its address is missing */
	switch ((enum element_kind)element->kind) {
	case ELEMENT_ATOMS: put_atoms(d, element->value, element->count, batch); break;
	case ELEMENT_EXCEPTION: d->exception = (uint8_t)element->value; break;
	case ELEMENT_SOURCE:
		if (!d->lost)
			flow_put(batch, FLOW_FROM, element->value);
		break;
	case ELEMENT_LOST:
	case ELEMENT_Q: lose(d, batch); break;
	case ELEMENT_NO_BRANCH: break;
	case ELEMENT_ADDRESS: put_address(d, element->value, batch); break;
	case ELEMENT_TRACE_ON: /* much later, perhaps: the next time stamp is nearer than the last
				*/
		d->expects = FLOW_BEGIN;
		place.ticks = 0;
		set_place(d, place);
		break;
	case ELEMENT_SYNC:
		if (d->expects == FLOW_TARGET)
			d->expects = FLOW_AT;
		break;
	case ELEMENT_CONTEXT:
		place.context = (uint32_t)element->value;
		place.has_context = true;
		set_place(d, place);
		break;
	case ELEMENT_TIME:
		place.ticks = element->value;
		set_place(d, place);
		break;
	}
}

static struct etm_element *element_at(struct etm_decoder *d, uint32_t i)
{
	return &d->elements[(d->first + i) % d->room];
}

/* Take atoms off the front of those that wait, as many as are committed. */
static bool apply_atoms(struct etm_decoder *d, struct etm_element *atoms, struct flow_batch *batch)
{
	uint32_t now = atoms->count < d->committed ? atoms->count : d->committed;
	struct etm_element part = {ELEMENT_ATOMS, (uint8_t)now,
				   atoms->value &
					   (now < 64 ? (UINT64_C(1) << now) - 1 : UINT64_MAX)};

	apply(d, &part, batch);
	d->committed -= now;
	d->waiting -= now;
	atoms->count = (uint8_t)(atoms->count - now);
	atoms->value = now < 64 ? atoms->value >> now : 0;
	return !atoms->count;
}

/* Apply what waits and is certain.  False: stopped, as the context has changed or the batch is
 * full.
 */
static bool drain(struct etm_decoder *d, struct flow_batch *batch)
{
	uint32_t unseen = d->unseen < d->committed ? d->unseen : d->committed;

	d->unseen -= unseen;
	d->committed -= unseen;
	d->waiting -= unseen;
	while (d->held) {
		struct etm_element *element = element_at(d, 0);
		if (d->moved || flow_batch_full(batch))
			return false;
		if (is_p0(element) && (!d->committed || d->unseen))
			return true;
		if (element->kind == ELEMENT_ATOMS) {
			if (!apply_atoms(d, element, batch))
				return true;
		} else {
			d->committed -= is_p0(element);
			d->waiting -= is_p0(element);
			apply(d, element, batch);
		}
		d->first = (d->first + 1) % d->room;
		d->held--;
	}
	return true;
}

/* Whatever is deeper than the unit can speculate is certain; and, so that there is room, the older
 * half of too many. */
static void commit_deep(struct etm_decoder *d)
{
	if (d->waiting > d->unit->depth && d->committed < d->waiting - d->unit->depth)
		d->committed = d->waiting - d->unit->depth;
	if (d->held > d->room - 16)
		d->committed = d->waiting;
}

static void push(struct etm_decoder *d, enum element_kind kind, unsigned count, uint64_t value)
{
	if (!d->informed)
		return;
	*element_at(d, d->held++) = (struct etm_element){(uint8_t)kind, (uint8_t)count, value};
	if (kind < ELEMENT_ADDRESS)
		d->waiting += kind == ELEMENT_ATOMS ? count : 1;
	commit_deep(d);
}

static void commit(struct etm_decoder *d, uint64_t count)
{
	d->committed =
		count < d->waiting - d->committed ? d->committed + (uint32_t)count : d->waiting;
}

/* The newest elements did not happen.  Times, and what was lost, did. */
static void cancel(struct etm_decoder *d, uint64_t count)
{
	uint32_t kept = 0;
	struct etm_element keep[8];

	while (count && d->held) {
		struct etm_element *newest = element_at(d, d->held - 1);
		if (newest->kind == ELEMENT_ATOMS) {
			uint32_t now = count < newest->count ? (uint32_t)count : newest->count;
			newest->count = (uint8_t)(newest->count - now);
			newest->value &= (UINT64_C(1) << newest->count) - 1;
			count -= now;
			d->waiting -= now;
			if (newest->count)
				break;
		} else if (is_p0(newest)) {
			count--;
			d->waiting--;
		} else if ((newest->kind == ELEMENT_TIME || newest->kind == ELEMENT_LOST) &&
			   kept < 8) {
			keep[kept++] = *newest;
		}
		d->held--;
	}
	uint32_t unseen = count < d->unseen ? (uint32_t)count : d->unseen;
	d->unseen -= unseen;
	d->waiting -= unseen;
	while (kept)
		*element_at(d, d->held++) = keep[--kept];
}

/* The newest atom was the other way, and no address after it counts. */
static void mispredict(struct etm_decoder *d)
{
	for (uint32_t i = d->held; i--;) {
		struct etm_element *element = element_at(d, i);
		if (element->kind == ELEMENT_ATOMS) {
			element->value ^= UINT64_C(1) << (element->count - 1);
			return;
		}
		if (element->kind == ELEMENT_ADDRESS) {
			for (uint32_t k = i; k + 1 < d->held; k++)
				*element_at(d, k) = *element_at(d, k + 1);
			d->held--;
		}
	}
}

/* Packets are not known from here on, up to a synchronization, and neither is the way; `kind` says
 * so. */
static void end_sync(struct etm_decoder *d, enum flow_kind kind, struct flow_batch *batch)
{
	d->first = d->held = 0;
	d->waiting = d->committed = d->unseen = 0;
	d->sync = SYNC_NONE;
	d->zeros = 0;
	d->informed = false;
	d->exception = 0;
	d->expects = FLOW_TARGET;
	if (!d->lost)
		flow_put(batch, kind, 0);
	d->lost = true;
}

static void lose_sync(struct etm_decoder *d, struct flow_batch *batch)
{
	end_sync(d, FLOW_LOST, batch);
}

/* ---- packets ---- */

/* What is left of the bytes of a packet. */
struct payload {
	const uint8_t *at, *end;
	bool cut; /* it has fewer bytes than it needs */
	bool bad; /* a field is longer than any */
};

static uint8_t take_byte(struct payload *p)
{
	if (p->at == p->end) {
		p->cut = true;
		return 0;
	}
	return *p->at++;
}

/* At most 8. */
static uint64_t take_bytes(struct payload *p, unsigned count)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < count; i++)
		value |= (uint64_t)take_byte(p) << 8 * i;
	return value;
}

/* A field of at most so many bytes. */
static uint64_t take_field(struct payload *p, unsigned most)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < most; i++) {
		uint8_t byte = take_byte(p);
		value |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (!(byte & 0x80))
			return value;
	}
	p->bad = true;
	return value;
}

#define FIELD_MOST 5

/* As a field, but that the ninth byte has eight bits.  For fewer, the others are those of the stamp
 * before. */
static uint64_t take_ticks(struct payload *p, uint64_t before)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 9; i++) {
		uint8_t byte = take_byte(p);
		if (i == 8)
			return value | (uint64_t)byte << 56;
		value |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (!(byte & 0x80))
			return value | (before & UINT64_MAX << 7 * (i + 1));
	}
	return value;
}

static void take_time(struct etm_decoder *d, uint8_t header, struct payload *p)
{
	uint64_t ticks = take_ticks(p, d->ticks);

	if (header & 1)
		take_field(p, FIELD_MOST);
	if (p->cut || p->bad)
		return;
	d->ticks = ticks;
	if (ticks && (d->marked || !d->unit->marks_times))
		push(d, ELEMENT_TIME, 0, ticks);
}

static void take_info(struct etm_decoder *d, struct payload *p)
{
	uint8_t control = take_byte(p);
	uint64_t depth = 0;

	for (uint8_t more = control, i = 0; more & 0x80 && !p->cut; i++) {
		more = take_byte(p);
		p->bad |= i == FIELD_MOST;
		if (p->bad)
			break;
	}
	for (unsigned i = 0; i < 5; i++)
		if (control >> i & 1) {
			uint64_t value = take_field(p, FIELD_MOST);
			depth = i == 2 ? value : depth;
		}
	if (p->cut || p->bad)
		return;
	for (size_t i = 0; i < 3; i++)
		d->addresses[i] = 0;
	d->ticks = 0;
	if (!d->informed) {
		d->informed = true;
		d->unseen = depth < d->unit->depth ? (uint32_t)depth : d->unit->depth;
		d->waiting = d->unseen;
	}
	push(d, ELEMENT_SYNC, 0, 0);
}

/* Info of a context, and what follows it. */
static void take_context(struct etm_decoder *d, struct payload *p)
{
	const struct etm_unit *unit = d->unit;
	uint8_t info = take_byte(p);
	bool has_vmid = info & 0x40 && unit->vmid_bytes,
	     has_context = info & 0x80 && unit->context_bytes;
	uint64_t vmid = has_vmid ? take_bytes(p, unit->vmid_bytes) : 0,
		 context = has_context ? take_bytes(p, unit->context_bytes) : 0;

	if (p->cut)
		return;
	d->wide = info & 0x10;
	if (has_vmid && unit->vmid_is_context)
		push(d, ELEMENT_CONTEXT, 0, vmid);
	else if (has_context && !unit->vmid_is_context)
		push(d, ELEMENT_CONTEXT, 0, context);
}

static void remember(struct etm_decoder *d, uint64_t address)
{
	d->addresses[2] = d->addresses[1];
	d->addresses[1] = d->addresses[0];
	d->addresses[0] = address;
}

/* The forms of an address.  Instructions of the one set are at multiples of 4, of the other (T32)
 * of 2. */
static uint64_t short_address(const struct etm_decoder *d, struct payload *p, bool halves)
{
	unsigned shift = halves ? 1 : 2, bits = 7;
	uint64_t low = take_byte(p);

	if (low & 0x80) {
		low = (low & 0x7f) | (uint64_t)take_byte(p) << 7;
		bits = 15;
	}
	uint64_t told = UINT64_MAX << (bits + shift);
	return (d->addresses[0] & told) | low << shift;
}

static uint64_t long_address(const struct etm_decoder *d, struct payload *p, bool halves, bool wide)
{
	uint64_t first = take_byte(p), second = take_byte(p);
	uint64_t low = halves ? (first & 0x7f) << 1 | second << 8 :
				(first & 0x7f) << 2 | (second & 0x7f) << 9;

	if (wide)
		return low | take_bytes(p, 6) << 16;
	low |= take_bytes(p, 2) << 16;
	return d->wide ? (d->addresses[0] & UINT64_MAX << 32) | low : low;
}

/* An address, with a context after it or not: of headers 82 to 9e, and of b0 to b9 as if they were
 * such.  False: it is none. */
static bool take_address(struct etm_decoder *d, uint8_t header, struct payload *p,
			 uint64_t *address)
{
	switch (header) {
	case 0x82:
	case 0x83: *address = long_address(d, p, header & 1, false); break;
	case 0x85:
	case 0x86: *address = long_address(d, p, header == 0x86, true); break;
	case 0x90:
	case 0x91:
	case 0x92: *address = d->addresses[header & 3]; break;
	case 0x95:
	case 0x96: *address = short_address(d, p, header == 0x96); break;
	case 0x9a:
	case 0x9b: *address = long_address(d, p, header & 1, false); break;
	case 0x9d:
	case 0x9e: *address = long_address(d, p, header == 0x9e, true); break;
	default: return false;
	}
	if (header < 0x90)
		take_context(d, p);
	if (!p->cut)
		remember(d, *address);
	return true;
}

/* b0 to b9: which header of an address has the same payload. */
static uint8_t source_form(uint8_t header)
{
	static const uint8_t forms[] = {0x90, 0x91, 0x92, 0, 0x95, 0x96, 0x9a, 0x9b, 0x9d, 0x9e};

	return header - 0xb0 < (int)sizeof(forms) ? forms[header - 0xb0] : 0;
}

static void take_exception(struct etm_decoder *d, struct payload *p)
{
	uint8_t info = take_byte(p), type = info >> 1 & 0x1f;
	bool no_address = d->unit->ete &&
			  (type == 0 || type == 0x18); /* a reset, a transaction that failed */

	if (info & 0x80 || no_address)
		take_byte(p);
	if (p->cut)
		return;
	if (no_address) {
		for (size_t i = 0; i < 3; i++)
			remember(d, 0);
		push(d, ELEMENT_LOST, 0, 0);
	} else {
		push(d, ELEMENT_EXCEPTION, 0, (info & 0x41) == 0x40 ? 2 : 1);
	}
}

static void take_cycles(struct etm_decoder *d, uint8_t header, struct payload *p)
{
	uint64_t elements = 0;

	if (header >= 0x10) {
		elements = (header >> 2 & 3) + 1;
	} else if (header >= 0x0e) {
		if (d->unit->counts_commit)
			elements = take_field(p, FIELD_MOST);
		if (!(header & 1))
			take_field(p, FIELD_MOST);
	} else {
		uint8_t counts = take_byte(p);
		int64_t base = header & 1 ? (int64_t)d->unit->depth - 15 : 1;
		base += counts >> 4;
		elements = base > 0 ? (uint64_t)base : 0;
	}
	if (!p->cut && !p->bad && d->unit->counts_commit)
		commit(d, elements);
}

/* Mispredictions and cancellations with atoms in front. */
static void take_guess(struct etm_decoder *d, uint8_t header)
{
	static const uint8_t bits[] = {0, 1, 3, 0}, counts[] = {0, 1, 2, 1};
	unsigned count = header < 0x38 ? counts[header & 3] : header & 1;

	if (count)
		push(d, ELEMENT_ATOMS, count, header < 0x38 ? bits[header & 3] : 1);
	if (header >= 0x38)
		cancel(d, (header >> 1 & 3) + 2);
	else if (header >= 0x34)
		cancel(d, 1);
	mispredict(d);
}

static void take_q(struct etm_decoder *d, uint8_t header, struct payload *p)
{
	uint64_t address = 0;
	bool has_address = true;

	switch (header & 15) {
	case 0x0:
	case 0x1:
	case 0x2: address = d->addresses[header & 3]; break;
	case 0x5:
	case 0x6: address = short_address(d, p, header & 2); break;
	case 0xa:
	case 0xb: address = long_address(d, p, header & 1, false); break;
	case 0xc:
	case 0xf: has_address = false; break;
	default: p->bad = true; return;
	}
	if ((header & 15) != 15)
		take_field(p, FIELD_MOST);
	if (p->cut || p->bad)
		return;
	push(d, ELEMENT_Q, 0, 0);
	if (has_address) {
		remember(d, address);
		push(d, ELEMENT_ADDRESS, 0, address);
	}
}

/* For conditional instructions: how they are skipped. */
static bool skip_conditional(uint8_t header, struct payload *p)
{
	switch (header >> 4) {
	case 4: return header != 0x47 && header != 0x4b && header != 0x4f;
	case 5: take_byte(p); return true;
	default: break;
	}
	if (header == 0x6d) {
		take_byte(p);
	} else if (header >= 0x6c) {
		take_field(p, FIELD_MOST + 1);
	} else if (header >= 0x68) {
		take_field(p, FIELD_MOST + 1);
		take_field(p, FIELD_MOST + 1);
	} else {
		return false;
	}
	return true;
}

/* A packet with a header below 0xc0 that is known; false: it is not.  Nothing changes if it is cut
 * or bad. */
static bool take_known(struct etm_decoder *d, uint8_t header, struct payload *p)
{
	bool ete = d->unit->ete;
	uint64_t address, count;

	switch (header) {
	case 0x01: take_info(d, p); return true;
	case 0x02:
	case 0x03: take_time(d, header, p); return true;
	case 0x04: push(d, ELEMENT_TRACE_ON, 0, 0); return true;
	case 0x06: take_exception(d, p); return true;
	case 0x07: return !ete; /* an atom has reported it */
	case 0x09:
		take_byte(p); /* the exception level */
		take_bytes(p, 8);
		return ete;
	case 0x0a:
		if (ete && d->unit->transactions_are_p0)
			push(d, ELEMENT_NO_BRANCH, 0, 0);
		return ete;
	case 0x0b: return ete;
	case 0x2d:
	case 0x2e:
	case 0x2f:
		count = take_field(p, FIELD_MOST);
		if (p->cut || p->bad)
			return true;
		if (header == 0x2d)
			commit(d, count);
		else
			cancel(d, count);
		if (header == 0x2f)
			mispredict(d);
		return true;
	case 0x80: return true; /* as before */
	case 0x81: take_context(d, p); return true;
	case 0x88: d->marked = true; return true;
	default: break;
	}
	if (header >= 0x0c && header < 0x20) {
		take_cycles(d, header, p);
	} else if (header >= 0x20 && header < 0x2d) {
		d->counts.unknown_packets++;
	} else if (header >= 0x30 && header < 0x40) {
		take_guess(d, header);
	} else if (header >= 0x40 && header < 0x70) {
		if (!skip_conditional(header, p))
			return false;
		d->counts.unknown_packets += !p->cut && !p->bad;
	} else if (header >= 0x70 && header < 0x80) {
		/* ignore, events */
	} else if (header >= 0xa0 && header < 0xb0) {
		take_q(d, header, p);
	} else if (header >= 0xb0) {
		if (!ete || !take_address(d, source_form(header), p, &address))
			return false;
		if (!p->cut)
			push(d, ELEMENT_SOURCE, 0, address);
	} else {
		if (!take_address(d, header, p, &address))
			return false;
		if (!p->cut)
			push(d, ELEMENT_ADDRESS, 0, address);
	}
	return true;
}

/* c0 to ff: *count atoms, the oldest in bit 0.  Zero: it is none. */
static unsigned atoms_of(uint8_t header, uint32_t *bits)
{
	static const uint8_t fours[] = {0xe, 0x0, 0xa, 0x5}, fives[] = {0, 0x00, 0x0a, 0x15};

	if (header >= 0xf8) {
		*bits = header & 7;
		return 3;
	}
	if (header >= 0xf6) {
		*bits = header & 1;
		return 1;
	}
	if (header == 0xf5) {
		*bits = 0x1e;
		return 5;
	}
	if (header >= 0xd5 && header < 0xd8) {
		*bits = fives[header & 3];
		return 5;
	}
	if (header >= 0xd8 && header < 0xdc) {
		*bits = header & 3;
		return 2;
	}
	if (header >= 0xdc && header < 0xe0) {
		*bits = fours[header & 3];
		return 4;
	}
	unsigned taken = (header & 0x1f) + 3u;
	*bits = (1u << taken) - 1 + (header & 0x20 ? 0 : 1u << taken);
	return taken + 1;
}

static void take_atoms(struct etm_decoder *d, uint8_t header, struct flow_batch *batch)
{
	uint32_t bits;
	unsigned count = atoms_of(header, &bits);

	if (!d->unit->depth && !d->held && !d->exception && d->informed)
		put_atoms(d, bits, count, batch);
	else
		push(d, ELEMENT_ATOMS, count, bits);
}

#define SYNC_ZEROS 11 /* or more */

/* Look for a synchronization: zeros, and 80.  False: it is not there. */
static bool find_sync(struct etm_decoder *d, struct bytes *rest, struct flow_batch *batch)
{
	const uint8_t *p = rest->data, *end = p + rest->size;

	while (p < end && d->sync != SYNC_DONE) {
		uint8_t byte = *p++;
		if (!byte) {
			d->zeros = d->zeros < SYNC_ZEROS ? (uint8_t)(d->zeros + 1) : SYNC_ZEROS;
		} else if (byte == 0x80 && d->zeros == SYNC_ZEROS) {
			d->sync = SYNC_DONE;
		} else {
			if (d->sync == SYNC_WITHIN) {
				d->counts.bad_bytes += d->zeros;
				lose_sync(d, batch);
			}
			d->zeros = 0;
		}
	}
	*rest = (struct bytes){p, (size_t)(end - p)};
	return d->sync == SYNC_DONE;
}

/* A packet with header 00.  Returns how many bytes it has; 0: not all of them are there. */
static size_t take_extension(struct etm_decoder *d, struct bytes rest, struct flow_batch *batch)
{
	if (rest.size < 2)
		return 0;
	switch (rest.data[1]) {
	case 0x00:
		d->sync = SYNC_WITHIN;
		d->zeros = 2;
		return 2;
	case 0x03: end_sync(d, FLOW_STOP, batch); return 2;
	case 0x05:
		d->counts.overflows++;
		lose_sync(d, batch);
		return 2;
	default:
		d->counts.bad_bytes++;
		lose_sync(d, batch);
		return 1;
	}
}

/* One packet.  Returns how many bytes it has; 0: not all of them are there. */
static size_t take_packet(struct etm_decoder *d, struct bytes rest, struct flow_batch *batch)
{
	uint8_t header = *rest.data;
	struct payload p = {.at = rest.data + 1, .end = rest.data + rest.size};

	if (header >= 0xc0) {
		take_atoms(d, header, batch);
		return 1;
	}
	if (!header)
		return take_extension(d, rest, batch);
	bool known = take_known(d, header, &p);
	if (p.cut)
		return 0;
	if (known && !p.bad)
		return (size_t)(p.at - rest.data);
	d->counts.bad_bytes++;
	lose_sync(d, batch);
	return 1;
}

static bool etm_read(void *ctx, struct bytes *rest, struct flow_batch *batch)
{
	struct etm_decoder *d = ctx;

	if (!d->unit) {
		*rest = (struct bytes){rest->data + rest->size, 0};
		return false;
	}
	d->moved = false;
	while (drain(d, batch) && !d->moved && !flow_batch_full(batch)) {
		if (!rest->size)
			return false;
		if (d->sync != SYNC_DONE) {
			if (!find_sync(d, rest, batch))
				return false;
			continue;
		}
		size_t size = take_packet(d, *rest, batch);
		if (!size)
			return false;
		*rest = (struct bytes){rest->data + size, rest->size - size};
	}
	return true;
}

static const struct etm_unit *unit_of_source(const struct etm_setup *setup,
					     const struct flow_source *source)
{
	const struct etm_unit *near = unit_of_cpu(setup, source->cpu);

	if (source->stream != FLOW_NO_STREAM)
		return unit_of_id(setup, source->stream, near);
	return near ? near : setup->units.at;
}

/* What can wait: P0 elements as deep as the unit speculates, each with an address after it. */
static uint32_t room_of(const struct etm_unit *unit)
{
	uint32_t room = unit ? ETM_HELD_LEAST + 2 * unit->depth : 0;

	return room < ETM_HELD_MOST ? room : ETM_HELD_MOST;
}

static bool etm_knows(const void *setup, const struct flow_source *source)
{
	return unit_of_source(setup, source);
}

static size_t etm_more(const void *setup, const struct flow_source *source)
{
	return room_of(unit_of_source(setup, source)) * sizeof(struct etm_element);
}

static struct flow_asks etm_begin(void *ctx, const void *setup, struct flow_source *source)
{
	struct etm_decoder *d = ctx;

	d->unit = unit_of_source(setup, source);
	d->room = room_of(d->unit);
	d->expects = FLOW_TARGET;
	d->lost = true;
	if (!d->unit)
		return (struct flow_asks){FLOW_ETM, false};
	if (source->cpu != AUX_NONE)
		source->cpu = d->unit->cpu;
	return (struct flow_asks){d->unit->returns ? FLOW_ETM_RETURNS : FLOW_ETM,
				  d->unit->waits_ask};
}

static struct answer_place etm_place(const void *ctx)
{
	const struct etm_decoder *d = ctx;

	return d->place;
}

static void etm_cut(void *ctx, bool within, struct flow_batch *batch)
{
	struct etm_decoder *d = ctx;

	(void)within; /* a synchronization comes first, anyway */
	if (!d->unit)
		return;
	lose_sync(d, batch);
	d->place = (struct answer_place){0};
}

static struct answer_counts etm_counts(const void *ctx)
{
	const struct etm_decoder *d = ctx;

	return d->counts;
}

const struct flow_reader etm_reader = {
	.kind = KIND,
	.frames = true,
	.decoder_size = sizeof(struct etm_decoder),
	.open = etm_open,
	.close = etm_close,
	.number = etm_number,
	.knows = etm_knows,
	.more = etm_more,
	.begin = etm_begin,
	.read = etm_read,
	.place = etm_place,
	.cut = etm_cut,
	.counts = etm_counts,
};
