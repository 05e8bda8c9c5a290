/*
 * The storages of a torch file, to read a few bytes of some of them: in a zip
 * the entries ROOT/data/KEY, in the older layout runs of bytes after the
 * pickles. Nothing is read before the first request.
 */
#ifndef OBS_FMT_FILE_TORCH_STORAGE_H
#define OBS_FMT_FILE_TORCH_STORAGE_H

#include <sys/types.h>

#include "base/str.h"
#include "fmt/file/zip.h"
#include "fmt/pickle/pickle.h"

struct torch_storages;

/* For a zip, which is borrowed; root is the folder, "NAME/". NULL: no
 * memory. */
struct torch_storages *torch_storages_of_zip(const struct zip *zip,
					     struct str root);

/* For a file of the older layout whose object's pickle begins at start. fd is
 * borrowed. */
struct torch_storages *torch_storages_of_legacy(int fd, off_t start);

void torch_storages_free(struct torch_storages *storages);

/* In the older layout: where the last storage ends in the file, given the size
 * of the object's pickle; 0 if unknown. */
uint64_t torch_storages_end(struct torch_storages *storages, uint64_t object);

struct pickle_storages *torch_storages_get(struct torch_storages *storages);

#endif
