/*
 * A simulated PHP 8.2 in a buffer, for tests of its stacks: functions main, u,
 * g and h, and frames that a test writes into a page. A test may write anything
 * that is read, as a hostile process would.
 */
#ifndef UNIT_PHP_RIG_H
#define UNIT_PHP_RIG_H

#include "support.h"

#include "capture/php/frames/repair.h"

#include "../../fuzz/fakemem.h"

#define BASE ((uint64_t)0x7f0000000000)
#define EG (BASE + 0x1000)
#define PAGE (BASE + 0x2000)
#define ROOT (PAGE + VM_STACK_HEADER)
#define SLOT_A (ROOT + 80) /* behind a frame of main */
#define MAIN (BASE + 0x8000)
#define USER (BASE + 0x8400)
#define G (BASE + 0x8800)
#define H (BASE + 0x8c00)
#define OPS (BASE + 0x9000)
#define USER_OPS (BASE + 0x9800)
#define STRINGS (BASE + 0xa000)

struct process_memory {
	struct fakemem fake;
	uint8_t m[1 << 16];
	/* What happens once the roots were read, or nothing. */
	void (*go_on)(struct process_memory *p);
};

struct rig {
	struct process_memory p;
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct names names;
	struct copy copy;
	struct walk walk;
};

void lay64(struct process_memory *p, uint64_t at, uint64_t v);
void lay32(struct process_memory *p, uint64_t at, uint32_t v);

/* A string, and its address. */
uint64_t lay_string(struct process_memory *p, uint64_t at, const char *s);

void lay_function(struct process_memory *p, uint64_t at, uint8_t type,
    uint64_t name, uint64_t ops);
void lay_frame(struct process_memory *p, uint64_t at, uint64_t func,
    uint64_t opline, uint32_t n_args, uint64_t prev);

/* That frame is current, and so large. */
void lay_roots(struct process_memory *p, uint64_t current, uint64_t size);

void rig_begin(struct rig *r);
void rig_end(struct rig *r);

#endif
