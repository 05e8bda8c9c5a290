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
	uint64_t hash; /* prom_label_hash of the two; 0: not taken yet */
};

static inline struct prom_label prom_label_of(struct str name, struct str value)
{
	return (struct prom_label){.name = name, .value = value};
}

/*
 * A fingerprint of one label. Those of a set are added up, so that neither
 * order nor absent labels matter: a label with an empty value has 0.
 */
static inline uint64_t prom_label_hash(const struct prom_label *label)
{
	if (label->hash != 0 || label->value.n == 0)
		return label->hash;
	return hash_mix(hash_bytes(label->name.p, label->name.n, 1),
			hash_bytes(label->value.p, label->value.n, 2));
}

#endif
