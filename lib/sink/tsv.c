#include "sink/tsv.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

void tsv_put_text(struct out *out, struct str text)
{
	static const char special[] = "\t\n\r\\", escaped[] = "tnr\\";

	for (size_t i = 0; i < text.n; i++) {
		const char *at = text.p[i] == '\0' ? NULL
						   : strchr(special, text.p[i]);

		if (at != NULL)
			out_putc(out, '\\');
		out_putc(out, at != NULL ? escaped[at - special] : text.p[i]);
	}
}

void tsv_put_number(struct out *out, double d)
{
	char text[NUM_DOUBLE_MAX];

	out_putc(out, '\t');
	if (!isnan(d))
		out_put(out, text, num_put_short(text, d));
}
