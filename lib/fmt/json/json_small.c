#include "fmt/json/json_small.h"

#include <cjson/cJSON.h>

#include "base/num.h"

/* A struct json_small is never defined: it is a cJSON by another name. */

static const cJSON *inner(const struct json_small *value)
{
	return (const cJSON *)value;
}

static struct json_small *outer(cJSON *value)
{
	return (struct json_small *)value;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct json_small *json_small_parse(struct str text, struct err *err)
{
	const char *end = text.p;
	cJSON *root = cJSON_ParseWithLengthOpts(text.p, text.n, &end, false);
	size_t at = root || end ? (size_t)(end - text.p) : 0;

	while (root && at < text.n && is_blank(text.p[at]))
		at++;
	if (root && at == text.n)
		return outer(root);
	cJSON_Delete(root);
	err_at(err, ERR_INPUT, ERR_BYTE, (int64_t)at,
	       text.n == 0 ? "empty where JSON was expected"
			   : "not valid JSON");
	return NULL;
}

void json_small_free(struct json_small *root)
{
	cJSON_Delete((cJSON *)root);
}

bool json_small_is_array(const struct json_small *value)
{
	return cJSON_IsArray(inner(value));
}

const struct json_small *json_small_member(const struct json_small *object,
					   const char *name)
{
	return outer(cJSON_GetObjectItemCaseSensitive(inner(object), name));
}

const struct json_small *json_small_first(const struct json_small *parent)
{
	return parent ? outer(inner(parent)->child) : NULL;
}

const struct json_small *json_small_next(const struct json_small *value)
{
	return outer(inner(value)->next);
}

const char *json_small_name(const struct json_small *value)
{
	return inner(value)->string;
}

struct str json_small_text(const struct json_small *value)
{
	const char *text = cJSON_GetStringValue(inner(value));

	return text ? str_of(text) : str_make(NULL, 0);
}

bool json_small_number(const struct json_small *value, double *number)
{
	struct str text = json_small_text(value);

	if (text.p)
		return num_parse_double(text, number);
	if (!cJSON_IsNumber(inner(value)))
		return false;
	*number = inner(value)->valuedouble;
	return true;
}

bool json_small_is_false(const struct json_small *value)
{
	return cJSON_IsFalse(inner(value));
}

bool json_small_is_true(const struct json_small *value)
{
	return cJSON_IsTrue(inner(value));
}

struct json_small *json_small_new_object(void)
{
	return outer(cJSON_CreateObject());
}

struct json_small *json_small_new_array(void)
{
	return outer(cJSON_CreateArray());
}

/* Give child to parent; a child that found no place is freed. */
static struct json_small *adopt(struct json_small *parent, const char *name,
				cJSON *child)
{
	cJSON *to = (cJSON *)parent;
	bool taken;

	taken = name ? cJSON_AddItemToObject(to, name, child)
		     : cJSON_AddItemToArray(to, child);
	if (taken)
		return outer(child);
	cJSON_Delete(child);
	return NULL;
}

struct json_small *json_small_add_object(struct json_small *parent,
					 const char *name)
{
	return adopt(parent, name, cJSON_CreateObject());
}

struct json_small *json_small_add_array(struct json_small *parent,
					const char *name)
{
	return adopt(parent, name, cJSON_CreateArray());
}

struct json_small *json_small_add_text(struct json_small *parent,
				       const char *name, const char *text)
{
	return adopt(parent, name, cJSON_CreateString(text));
}

struct json_small *json_small_add_number(struct json_small *parent,
					 const char *name, double number)
{
	return adopt(parent, name, cJSON_CreateNumber(number));
}

struct json_small *json_small_add_bool(struct json_small *parent,
				       const char *name, bool value)
{
	return adopt(parent, name, cJSON_CreateBool(value));
}

int json_small_print(const struct json_small *root, bool pretty,
		     struct buf *out, struct err *err)
{
	char *text = pretty ? cJSON_Print(inner(root))
			    : cJSON_PrintUnformatted(inner(root));

	if (text)
		buf_puts(out, text);
	cJSON_free(text);
	return text && !out->failed ? 0 : buf_refused(out, err);
}

const char *json_small_version(void)
{
	return cJSON_Version();
}
