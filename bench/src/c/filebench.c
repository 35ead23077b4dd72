/* Access to a file by all ranks with a library for C, as bench/src/files/FileBench.java has it: filebench FOLDER RECORD MIB ROUNDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, ranks;

static void print(const char *name, int record, double mib, double begin) {
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = MPI_Wtime() - begin;
  if (rank == 0) printf("%s %d %.0f %.0f\n", name, record, mib, mib / seconds), fflush(stdout);
}

static void check(int error, const char *what) {
  if (error != MPI_SUCCESS) {
    fprintf(stderr, "filebench: %s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 5) return fprintf(stderr, "usage: filebench FOLDER RECORD MIB ROUNDS\n"), 2;
  int record = atoi(argv[2]);
  int count = (int)((atol(argv[3]) << 20) / ranks / record * record);
  double mib = (double)count * ranks / (1 << 20);
  char path[4096];
  snprintf(path, sizeof path, "%s/records", argv[1]);
  unsigned char *data = malloc(count);
  MPI_Datatype one, mine;
  MPI_Type_contiguous(record, MPI_BYTE, &one);
  MPI_Type_create_resized(one, 0, (MPI_Aint)record * ranks, &mine);
  MPI_Type_commit(&mine);
  for (int round = 0; round < atoi(argv[4]); round++) {
    for (int collective = 1; collective >= 0; collective--) {
      if (rank == 0) unlink(path);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_File file;
      check(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file), "open");
      check(MPI_File_set_view(file, (MPI_Offset)record * rank, MPI_BYTE, mine, "native", MPI_INFO_NULL), "set_view");
      for (int i = 0; i < count; i++) data[i] = (unsigned char)(rank + i);
      MPI_Barrier(MPI_COMM_WORLD);
      double begin = MPI_Wtime();
      check(collective ? MPI_File_write_at_all(file, 0, data, count, MPI_BYTE, MPI_STATUS_IGNORE)
                       : MPI_File_write_at(file, 0, data, count, MPI_BYTE, MPI_STATUS_IGNORE), "write");
      print(collective ? "write_at_all" : "write_at", record, mib, begin);
      begin = MPI_Wtime();
      check(collective ? MPI_File_read_at_all(file, 0, data, count, MPI_BYTE, MPI_STATUS_IGNORE)
                       : MPI_File_read_at(file, 0, data, count, MPI_BYTE, MPI_STATUS_IGNORE), "read");
      print(collective ? "read_at_all" : "read_at", record, mib, begin);
      for (int i = 0; i < count; i += 4099)
        if (data[i] != (unsigned char)(rank + i)) check(1, "comparison");
      MPI_File_close(&file);
    }
  }
  if (rank == 0) unlink(path);
  MPI_Finalize();
  return 0;
}
