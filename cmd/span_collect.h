/* trace-span --collect: records as samples with trace carriers. */
#ifndef OBS_CMD_SPAN_COLLECT_H
#define OBS_CMD_SPAN_COLLECT_H

/* Write {"samples": [...]} of the records in all files, of stdin without
 * any, and remember the status. */
void span_collect(int count, char **files, const char *output);

#endif
