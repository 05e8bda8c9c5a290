/*
 * Files written by torch.save: finds the pickle of the object.
 *
 * A zip archive (torch 1.6 and later) holds it in ROOT/data.pkl, where ROOT is
 * the folder of the first entry, else in the first data.pkl; tensors are other
 * entries, only read if they have one element (torch_storage.h). The older
 * layout is five pickles in a row followed by raw storages; the fourth is the
 * object. A plain pickle is the object itself. Source: torch/serialization.py
 * and caffe2/serialize/inline_container.cc, read at torch 1.13 and 2.7.
 *
 * The CRC of data.pkl is checked once it has been read to its end. torch can be
 * configured to skip it and then writes 0, which is not an error.
 */
#ifndef OBS_FMT_FILE_TORCH_FILE_H
#define OBS_FMT_FILE_TORCH_FILE_H

#include "base/err.h"
#include "base/source.h"
#include "fmt/input.h"
#include "fmt/pickle/pickle.h"

struct torch_file;

/* The number of files called data.pkl in the archive: only one is used. */
size_t torch_file_pickles(const struct torch_file *file);

/* Open the pickle in an input that is a zip archive, a file of the older layout
 * or a pickle. The input is made rewindable (input_keep) and borrowed until
 * torch_file_close. *file is set on success only. */
int torch_file_open(struct input *input, struct torch_file **file,
		    struct err *err);
void torch_file_close(struct torch_file *file);

/* The bytes of the pickle. They may continue after its STOP. */
struct byte_source *torch_file_source(struct torch_file *file);

/* The storages that the pickle refers to; NULL if there are none. */
struct pickle_storages *torch_file_storages(struct torch_file *file);

/*
 * Read the rest after the pickle's STOP, which is at `end` (0: unknown), and
 * check it: 0 if all is well, 1 with err filled if the CRC is wrong or if there
 * is more in the file than was read, or an error. Padding of zeros or blanks
 * does not count.
 */
int torch_file_finish(struct torch_file *file, uint64_t end, struct err *err);

#endif
