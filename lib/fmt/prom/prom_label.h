/*
 * A label of a sample, in canonical escapes (see fmt/prom/prom.h).
 */
#ifndef OBS_FMT_PROM_PROM_LABEL_H
#define OBS_FMT_PROM_PROM_LABEL_H

#include <stdint.h>

#include "base/map.h"
#include "base/str.h"

struct prom_label {
	struct str name; /* canonical escapes; may need quotes when written */
	struct str value;
	uint64_t hash; /* prom_label_hash of the two; 0: not computed yet */
};

static inline struct prom_label prom_label_of(struct str name, struct str value)
{
	return (struct prom_label){.name = name, .value = value};
}

static inline uint64_t prom_label_name_hash(struct str name)
{
	return hash_bytes(name.p, name.n, 1);
}

/*
 * A fingerprint of one label. Those of a set are summed, so that neither order
 * nor absent labels matter: a label with an empty value has 0.
 */
static inline uint64_t prom_label_hash_of(uint64_t name_hash, struct str value)
{
	return value.n == 0
		       ? 0
		       : hash_mix(name_hash, hash_bytes(value.p, value.n, 2));
}

static inline uint64_t prom_label_hash(const struct prom_label *label)
{
	if (label->hash != 0)
		return label->hash;
	return prom_label_hash_of(prom_label_name_hash(label->name),
				  label->value);
}

#endif
