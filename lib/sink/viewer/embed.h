/*
 * The timeline viewer's source files, embedded at build.
 *
 * Each array is every file of that kind in lib/sink/viewer, in the order of
 * their names, without indentation and comments; the size leaves out the NUL
 * that follows. With no such file the array is the empty string. scripts/embed
 * makes them.
 */
#ifndef OBS_SINK_VIEWER_EMBED_H
#define OBS_SINK_VIEWER_EMBED_H

#include <stddef.h>

extern const char viewer_html[];
extern const char viewer_css[];
extern const char viewer_js[];
extern const size_t viewer_html_size;
extern const size_t viewer_css_size;
extern const size_t viewer_js_size;

#endif
