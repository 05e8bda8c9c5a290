#include "fmt/file/tfevents.h"

#include <string.h>

#include "base/limits.h"

/* Field number and wire type of Event, Summary and Summary.Value. */
enum {
	EVENT_WALL_TIME = 0x09,
	EVENT_STEP = 0x10,
	EVENT_VERSION = 0x1a,
	EVENT_SUMMARY = 0x2a,
	SUMMARY_VALUE = 0x0a,
	VALUE_TAG = 0x0a,
	VALUE_SIMPLE = 0x15
};

/* CRC-32C (Castagnoli): 0xe3069283 of "123456789". */
static uint32_t crc32c(struct str bytes)
{
	static const uint32_t polynomial = 0x82f63b78;
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < bytes.n; i++) {
		crc ^= (unsigned char)bytes.p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
	}
	return ~crc;
}

static void put_little(struct buf *b, uint64_t word, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_putc(b, (char)(word >> 8 * i));
}

static void put_varint(struct buf *b, uint64_t word)
{
	for (; word >= 0x80; word >>= 7)
		buf_putc(b, (char)(word | 0x80));
	buf_putc(b, (char)word);
}

static void put_text(struct buf *b, char field, struct str text)
{
	buf_putc(b, field);
	put_varint(b, text.n);
	buf_put(b, text.p, text.n);
}

static void put_double(struct buf *b, char field, double d)
{
	uint64_t word;

	memcpy(&word, &d, sizeof(word));
	buf_putc(b, field);
	put_little(b, word, sizeof(word));
}

static void put_float(struct buf *b, char field, float f)
{
	uint32_t word;

	memcpy(&word, &f, sizeof(word));
	buf_putc(b, field);
	put_little(b, word, sizeof(word));
}

/* The CRC of data with its own CRC is weak, so the format rotates it. */
static void put_masked_crc(struct buf *b, struct str bytes)
{
	uint32_t crc = crc32c(bytes);

	put_little(b, (crc >> 15 | crc << 17) + 0xa282ead8, 4);
}

static void put_record(struct buf *file, const struct buf *message)
{
	size_t at = file->n;

	put_little(file, message->n, 8);
	if (file->failed)
		return;
	put_masked_crc(file, str_make(file->p + at, file->n - at));
	buf_put(file, message->p, message->n);
	put_masked_crc(file, buf_str(message));
	file->failed |= message->failed;
}

void tfevents_begin(struct buf *file, double wall_time)
{
	struct buf message = buf_new(KIB);

	put_double(&message, EVENT_WALL_TIME, wall_time);
	put_text(&message, EVENT_VERSION, str_of("brain.Event:2"));
	put_record(file, &message);
	buf_free(&message);
}

struct tfevents_event tfevents_event(double wall_time, int64_t step)
{
	return (struct tfevents_event){wall_time, step, buf_new(LIMIT_LIST)};
}

void tfevents_scalar(struct tfevents_event *event, struct str tag, double value)
{
	struct buf v = buf_new(LIMIT_LIST);

	put_text(&v, VALUE_TAG, tag);
	put_float(&v, VALUE_SIMPLE, (float)value);
	put_text(&event->summary, SUMMARY_VALUE, buf_str(&v));
	event->summary.failed |= v.failed;
	buf_free(&v);
}

void tfevents_put(struct buf *file, struct tfevents_event *event)
{
	struct buf message = buf_new(LIMIT_LIST);

	put_double(&message, EVENT_WALL_TIME, event->wall_time);
	buf_putc(&message, EVENT_STEP);
	put_varint(&message, (uint64_t)event->step);
	put_text(&message, EVENT_SUMMARY, buf_str(&event->summary));
	message.failed |= event->summary.failed;
	put_record(file, &message);
	buf_free(&message);
	buf_free(&event->summary);
}
