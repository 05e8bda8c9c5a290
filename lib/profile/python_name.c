#include "profile/python_name.h"

#include <string.h>

struct str python_name(struct buf *scratch, struct str name)
{
	static const char at[] = " at 0x";
	const char *p = memmem(name.p, name.n, at, sizeof(at) - 1);

	if (p == NULL)
		return name;
	buf_clear(scratch);
	while (p != NULL) {
		size_t n = (size_t)(p - name.p);

		buf_put(scratch, name.p, n);
		n += sizeof(at) - 1;
		while (n < name.n &&
		       strchr("0123456789abcdefABCDEF", name.p[n]) != NULL &&
		       name.p[n] != '\0')
			n++;
		name = str_skip(name, n);
		p = memmem(name.p, name.n, at, sizeof(at) - 1);
	}
	buf_put(scratch, name.p, name.n);
	return buf_str(scratch);
}
