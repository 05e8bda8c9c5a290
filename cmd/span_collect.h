/* trace-span --collect: records as samples with trace carriers. */
#ifndef OBS_CMD_SPAN_COLLECT_H
#define OBS_CMD_SPAN_COLLECT_H

/* Write {"samples": [...]} from the records of all files, or of stdin, and
 * record the status. */
void span_collect(int count, char **files, const char *output);

#endif
