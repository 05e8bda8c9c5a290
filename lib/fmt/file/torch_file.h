/*
 * Files that torch.save writes: where in them is the pickle of the object.
 *
 * A zip archive (torch 1.6 and later) holds it in ROOT/data.pkl, where ROOT is
 * the folder of the first entry, else in the first data.pkl that there is;
 * tensors are other entries, of which only those of one element are read
 * (torch_storage.h). The older layout is five pickles in a row followed by raw
 * storages; the fourth is the object. A plain pickle is the object itself. Source:
 * torch/serialization.py and caffe2/serialize/inline_container.cc, read at
 * torch 1.13 and 2.7.
 *
 * The CRC of data.pkl is checked when it has been read to its end. torch can
 * be told not to compute it and then writes 0, which is not a fault.
 */
#ifndef OBS_FMT_FILE_TORCH_FILE_H
#define OBS_FMT_FILE_TORCH_FILE_H

#include "base/err.h"
#include "base/source.h"
#include "fmt/input.h"
#include "fmt/pickle/pickle.h"

struct torch_file;

/* How many files called data.pkl the archive holds: all but one are ignored. */
size_t torch_file_pickles(const struct torch_file *file);

/* Open the pickle in an input that is a zip archive, a file of the older layout
 * or a pickle. It is kept (input_keep), and borrowed until torch_file_close.
 * *file is set on success only. */
int torch_file_open(struct input *input, struct torch_file **file,
		    struct err *err);
void torch_file_close(struct torch_file *file);

/* The bytes of the pickle. They may go on behind its STOP. */
struct byte_source *torch_file_source(struct torch_file *file);

/* The storages that the pickle names; NULL: there are none beside it. */
struct pickle_storages *torch_file_storages(struct torch_file *file);

/*
 * Read what is left behind the pickle's STOP and check it: 0 when all is
 * well, 1 with err filled when the CRC is wrong, or an error.
 */
int torch_file_finish(struct torch_file *file, struct err *err);

#endif
