#include "sink/tsv.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

/* \t, \n, \r and, as bytes in hexadecimal, other control characters. */
static void put_control(struct out *out, char c)
{
	static const char special[] = "\t\n\r", letters[] = "tnr";
	static const char digits[] = "0123456789abcdef";
	const char *at = c == '\0' ? NULL : strchr(special, c);
	const char hex[] = {'\\', 'x', digits[(unsigned char)c >> 4],
			    digits[(unsigned char)c & 15]};
	const char letter[] = {'\\', at == NULL ? ' ' : letters[at - special]};

	if (at == NULL)
		out_put(out, hex, sizeof(hex));
	else
		out_put(out, letter, sizeof(letter));
}

void tsv_put_escaped(struct out *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if ((unsigned char)text.p[i] < ' ' || text.p[i] == '\x7f')
			put_control(out, text.p[i]);
		else
			out_putc(out, text.p[i]);
	}
}

void tsv_put_text(struct out *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\\')
			out_putc(out, '\\');
		tsv_put_escaped(out, str_make(text.p + i, 1));
	}
}

void tsv_put_number(struct out *out, double d)
{
	char text[NUM_DOUBLE_MAX];

	out_putc(out, '\t');
	if (!isnan(d))
		out_put(out, text, num_put_short(text, d));
}
