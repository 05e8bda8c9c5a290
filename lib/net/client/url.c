#include "net/client/url.h"

#include "base/digits.h"
#include "base/num.h"

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

/* Is every byte of s a letter, a digit or one of also? */
static bool made_of(struct str s, const char *also)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_alnum(s.p[i]) &&
		    (s.p[i] == '\0' || !strchr(also, s.p[i])))
			return false;
	return true;
}

/* Split s at offset at: returns the part before; s becomes the part after skip
 * further bytes. */
static struct str cut(struct str *s, size_t at, size_t skip)
{
	struct str head = str_make(s->p, at);

	*s = str_make(s->p + at + skip, s->n - at - skip);
	return head;
}

static size_t find(struct str s, const char *word)
{
	const char *p = memmem(s.p, s.n, word, strlen(word));

	return p ? (size_t)(p - s.p) : s.n;
}

static size_t find_last(struct str s, char c)
{
	const char *p = memrchr(s.p, c, s.n);

	return p ? (size_t)(p - s.p) : s.n;
}

/* The end of the authority: a slash, a question mark, or the end. */
static size_t authority_size(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] != '/' && s.p[n] != '?')
		n++;
	return n;
}

/* No blanks, control bytes, bytes above ASCII, backslashes or fragments:
 * readers disagree about them. */
static int check_bytes(struct str text, struct err *err)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c <= ' ' || c >= 0x7f || strchr("\\#\"<>`", c))
			return err_set(err, ERR_INPUT,
				       "byte 0x%02x does not belong in a URL",
				       c);
	}
	return 0;
}

static int parse_port(struct str text, int *port, struct err *err)
{
	int64_t n;

	if (text.n == 0 || text.n > 5 || !made_of(text, "") ||
	    !num_parse_int(text, &n) || n < 1 || n > 65535)
		return err_set(err, ERR_INPUT,
			       "the port is not a number from 1 to 65535");
	*port = (int)n;
	return 0;
}

/* "[ADDRESS]" or "[ADDRESS%ZONE]"; s becomes what follows the bracket. */
static int parse_bracketed(struct str *s, struct url *url, struct err *err)
{
	size_t end = find(*s, "]");
	struct str inside, address;

	if (end == s->n)
		return err_set(err, ERR_INPUT, "the host has no closing ']'");
	url->host = cut(s, end + 1, 0);
	inside = str_make(url->host.p + 1, url->host.n - 2);
	address = cut(&inside, find(inside, "%"), 0);
	if (find(address, ":") == address.n || !made_of(address, ":.") ||
	    !made_of(inside, "%-._~"))
		return err_set(err, ERR_INPUT,
			       "the host in brackets is not an IPv6 address");
	return 0;
}

static int parse_name(struct str *s, struct url *url, struct err *err)
{
	url->host = cut(s, find(*s, ":"), 0);
	if (s->n > 0 && find_last(*s, ':') > 0)
		return err_set(err, ERR_INPUT,
			       "an IPv6 address must be in brackets");
	if (url->host.n == 0)
		return err_set(err, ERR_INPUT, "the host is missing");
	if (!made_of(url->host, "-._"))
		return err_set(err, ERR_INPUT, "the host is not a name");
	return 0;
}

static int parse_authority(struct str s, struct url *url, struct err *err)
{
	size_t at = find_last(s, '@');
	int rc;

	if (at < s.n)
		url->user = cut(&s, at, 1);
	if (!made_of(url->user, ":-._~!$&'()*+,;=%"))
		return err_set(err, ERR_INPUT,
			       "the user name must be percent-encoded");
	if (s.n > 0 && s.p[0] == '[')
		rc = parse_bracketed(&s, url, err);
	else
		rc = parse_name(&s, url, err);
	if (rc < 0)
		return rc;
	if (s.n == 0)
		return 0;
	if (s.p[0] != ':')
		return err_set(err, ERR_INPUT, "only a port may follow ']'");
	cut(&s, 0, 1);
	return parse_port(s, &url->port, err);
}

void url_find_authority(struct str text, size_t *start, size_t *end)
{
	size_t colon = find(text, "://");
	struct str rest = text;

	*start = colon < authority_size(text) ? colon + 3 : 0;
	cut(&rest, *start, 0);
	*end = *start + authority_size(rest);
}

int url_parse(struct str text, struct url *url, struct err *err)
{
	struct str authority;
	size_t start, end;

	*url = (struct url){.scheme = str_make(text.p, 0)};
	if (check_bytes(text, err) < 0)
		return ERR_INPUT;
	url_find_authority(text, &start, &end);
	if (start > 0)
		url->scheme = cut(&text, start - 3, 3);
	if (!made_of(url->scheme, "+-."))
		return err_set(err, ERR_INPUT, "the scheme is not a name");
	authority = cut(&text, end - start, 0);
	url->path = text;
	return parse_authority(authority, url, err);
}

bool url_scheme_is(const struct url *url, const char *scheme)
{
	return str_is_nocase(url->scheme, scheme);
}

int url_port(const struct url *url)
{
	if (url->port > 0)
		return url->port;
	if (url_scheme_is(url, "http"))
		return 80;
	return url_scheme_is(url, "https") ? 443 : 0;
}

bool url_same_origin(const struct url *a, const struct url *b)
{
	return str_eq_nocase(a->scheme, b->scheme) &&
	       str_eq_nocase(a->host, b->host) && url_port(a) == url_port(b);
}

/* A zone, an interface name, keeps its case. */
static void put_lower(struct buf *out, struct str s)
{
	struct str zone = s;

	s = cut(&zone, find(s, "%"), 0);
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		buf_putc(out, c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c);
	}
	buf_put(out, zone.p, zone.n);
}

void url_put_origin(struct buf *out, const struct url *url)
{
	struct url plain = *url;

	plain.port = 0;
	put_lower(out, url->scheme);
	buf_puts(out, "://");
	put_lower(out, url->host);
	if (url_port(url) != url_port(&plain))
		buf_printf(out, ":%d", url->port);
}
