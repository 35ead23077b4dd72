/*
 * Measures the time of calls on MPI_COMM_WORLD: the program of `tutti bench` (tutti.mpi.programs.Bench) in C, with the same procedure and the same
 * table. Needs MPI-1 only, so that LAM/MPI compiles it, but for the operations on windows (put to passive), which need MPI 3.
 *
 *   collbench CALLS SIZE[,SIZE]... OPERATION...
 *
 * A barrier precedes each call; the time of a call is the maximum over the ranks, by an allreduce; a fifth of the calls and two more precede the
 * measured ones. CALLS is the number of calls up to 1K; larger sizes have a share of it, and a row ends after 10 s, with 3 calls at the least.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 64
#define TAG 0
#define MAX_BLOCK (1L << 20)
#define MAX_BLOCKS (16L << 20)
#define ROW_MICROS 10e6
#define LEAST_CALLS 3
#define VECTOR_BLOCK 8
#define COMPUTED_SECONDS 1e-2

static int rank, ranks;
/* Buffers of all calls, and the number of elements of each rank's block in a reduce_scatter. */
static double *outgoing, *incoming;
static int *counts;
/* Datatype of the row that is measured, for a vector. */
static MPI_Datatype layout;

typedef void call(int elements);

static void exchange(int n, MPI_Datatype type) {
  if (rank == 0) {
    MPI_Send(outgoing, n, type, 1, TAG, MPI_COMM_WORLD);
    MPI_Recv(incoming, n, type, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(incoming, n, type, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(outgoing, n, type, 0, TAG, MPI_COMM_WORLD);
  }
}

static void pingpong(int n) { exchange(n, MPI_DOUBLE); }

/* A pingpong of one element of a vector datatype: blocks of VECTOR_BLOCK doubles, with gaps as long as the blocks. */
static void vector(int n) { (void)n; exchange(1, layout); }

/* Sends or receives a window of messages, as the benchmark osu_bw does: all in one buffer. */
static void bandwidth(int n) {
  MPI_Request requests[WINDOW];
  MPI_Status statuses[WINDOW];
  int i;
  if (rank == 0) {
    for (i = 0; i < WINDOW; i++) MPI_Isend(outgoing, n, MPI_DOUBLE, 1, TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(WINDOW, requests, statuses);
    MPI_Recv(incoming, 1, MPI_DOUBLE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    for (i = 0; i < WINDOW; i++) MPI_Irecv(incoming, n, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(WINDOW, requests, statuses);
    MPI_Send(outgoing, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD);
  }
}

static void barrier(int n) { (void)n; MPI_Barrier(MPI_COMM_WORLD); }
static void bcast(int n) { MPI_Bcast(outgoing, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void reduce(int n) { MPI_Reduce(outgoing, incoming, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }
static void allreduce(int n) { MPI_Allreduce(outgoing, incoming, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void allgather(int n) { MPI_Allgather(outgoing, n, MPI_DOUBLE, incoming, n, MPI_DOUBLE, MPI_COMM_WORLD); }
static void alltoall(int n) { MPI_Alltoall(outgoing, n, MPI_DOUBLE, incoming, n, MPI_DOUBLE, MPI_COMM_WORLD); }
static void reduce_scatter(int n) { (void)n; MPI_Reduce_scatter(outgoing, incoming, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

#if MPI_VERSION >= 3
/* Accesses of rank 0 to a window of rank 1; before and after the calls of a row as WindowCalls does. */
static MPI_Win window;
/* Whether windows are of the program's memory. */
static int created;
static MPI_Group other;

static void access_put(int n) { MPI_Put(outgoing, n, MPI_DOUBLE, 1, 0, n, MPI_DOUBLE, window); }
static void put(int n) { if (rank == 0) { access_put(n); MPI_Win_flush(1, window); } }
static void get(int n) {
  if (rank == 0) {
    MPI_Get(outgoing, n, MPI_DOUBLE, 1, 0, n, MPI_DOUBLE, window);
    MPI_Win_flush(1, window);
  }
}
static void puts_(int n) {
  if (rank == 0) {
    for (int i = 0; i < WINDOW; i++) access_put(n);
    MPI_Win_flush(1, window);
  }
}
static void gets_(int n) {
  if (rank == 0) {
    for (int i = 0; i < WINDOW; i++) MPI_Get(outgoing, n, MPI_DOUBLE, 1, 0, n, MPI_DOUBLE, window);
    MPI_Win_flush(1, window);
  }
}
static void accumulate(int n) {
  if (rank == 0) {
    MPI_Accumulate(outgoing, n, MPI_DOUBLE, 1, 0, n, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush(1, window);
  }
}
static void fetch(int n) {
  static long long one = 1, before;
  (void)n;
  if (rank == 0) {
    MPI_Fetch_and_op(&one, &before, MPI_LONG_LONG, 1, 0, MPI_SUM, window);
    MPI_Win_flush(1, window);
  }
}
static void fence(int n) {
  if (rank == 0) access_put(n);
  MPI_Win_fence(0, window);
}
static void pscw(int n) {
  if (rank == 0) {
    MPI_Win_start(other, 0, window);
    access_put(n);
    MPI_Win_complete(window);
  } else if (rank == 1) {
    MPI_Win_post(other, 0, window);
    MPI_Win_wait(window);
  }
}
static void lock(int n) {
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    access_put(n);
    MPI_Win_unlock(1, window);
  }
}

/* Rank 0 accesses a rank that computes, and alone is measured. */
static void passive(int n) {
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    access_put(n);
    MPI_Get(incoming, n, MPI_DOUBLE, 1, 0, n, MPI_DOUBLE, window);
    MPI_Accumulate(outgoing, n, MPI_DOUBLE, 1, 0, n, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_unlock(1, window);
  } else if (rank == 1) {
    double end = MPI_Wtime() + COMPUTED_SECONDS;
    while (MPI_Wtime() < end);
  }
}

static int is_flushed(call *run) { return run == put || run == get || run == puts_ || run == gets_ || run == accumulate || run == fetch; }
static int is_of_window(call *run) { return is_flushed(run) || run == fence || run == pscw || run == lock || run == passive; }

static void open_window(call *run, long bytes) {
  MPI_Group all;
  int peer = rank == 0 ? 1 : 0;
  if (created) {
    MPI_Win_create(incoming, (MPI_Aint)bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  } else {
    void *memory;
    MPI_Win_allocate((MPI_Aint)bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, (size_t)bytes);
  }
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  MPI_Group_free(&all);
  if (is_flushed(run) && rank == 0) MPI_Win_lock_all(0, window);
  if (run == fence) MPI_Win_fence(0, window);
}

static void close_window(call *run) {
  if (is_flushed(run) && rank == 0) MPI_Win_unlock_all(window);
  if (run == fence) MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Group_free(&other);
  MPI_Win_free(&window);
}
#endif

static const struct { const char *name; call *run; int blocks; } operations[] = {
  {"pingpong", pingpong, 0}, {"bandwidth", bandwidth, 0}, {"barrier", barrier, 0}, {"bcast", bcast, 0}, {"reduce", reduce, 0},
  {"allreduce", allreduce, 0}, {"allgather", allgather, 1}, {"alltoall", alltoall, 1}, {"reduce_scatter", reduce_scatter, 0},
  {"vector", vector, 0},
#if MPI_VERSION >= 3
  {"put", put, 0}, {"get", get, 0}, {"puts", puts_, 0}, {"gets", gets_, 0}, {"accumulate", accumulate, 0}, {"fetch", fetch, 0}, {"fence", fence, 0}, {"pscw", pscw, 0}, {"lock", lock, 0},
  {"passive", passive, 0},
#endif
};
#define OPERATIONS ((int)(sizeof operations / sizeof operations[0]))

/* Whether blocks of a size are measured: longer ones where all of them together are short. */
static int is_block(long bytes) { return bytes <= MAX_BLOCK || bytes * ranks <= MAX_BLOCKS; }

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static int share(long bytes, int calls) {
  double share = bytes <= 1L << 10 ? 1 : bytes <= 1L << 16 ? 0.2 : bytes <= 1L << 20 ? 0.03 : 0.004;
  int rounded = (int)(share * calls + 0.5);
  return rounded < 1 ? 1 : rounded;
}

static void measure(int operation, long bytes, int calls) {
  const char *name = operations[operation].name;
  call *run = operations[operation].run;
  int elements = (int)(bytes / (long)sizeof(double)), warmup = calls / 5 + 2, i;
  double *micros = malloc(sizeof(double) * (size_t)calls), spent = 0;
  int measured = 0;
  if (run == vector) {
    /* blocks are shorter where the number of elements is not a multiple of their length */
    int block = VECTOR_BLOCK;
    while (elements % block != 0) block /= 2;
    MPI_Type_vector(elements / block, block, 2 * block, MPI_DOUBLE, &layout);
    MPI_Type_commit(&layout);
  }
#if MPI_VERSION >= 3
  if (is_of_window(run)) open_window(run, bytes);
#endif
  for (i = 0; i < ranks; i++) counts[i] = elements / ranks > 1 ? elements / ranks : 1;
  /* spent is equal on all ranks, as the times of the slowest rank are */
  for (i = -warmup; i < calls && (spent < ROW_MICROS || measured < LEAST_CALLS); i++) {
    double begin, time, slowest;
    if (run != barrier) MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    run(elements);
    time = (MPI_Wtime() - begin) * 1e6;
#if MPI_VERSION >= 3
    if (run == passive && rank != 0) time = 0;
#endif
    MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    spent += slowest;
    if (i >= 0) micros[measured++] = slowest;
    else if (spent >= ROW_MICROS) i = -1;
  }
  if (rank == 0) {
    char rate[32] = "-";
    qsort(micros, (size_t)measured, sizeof(double), ascending);
    if (run == bandwidth) snprintf(rate, sizeof rate, "%.1f", (double)WINDOW * (double)bytes / micros[measured / 2]);
    printf("%-14s %9ld %7d %11.2f %11.2f %11.2f %11.2f %11s\n", name, bytes, measured, micros[0], micros[measured / 2],
           micros[measured * 90L / 100], micros[measured * 99L / 100], rate);
    fflush(stdout);
  }
  if (run == vector) MPI_Type_free(&layout);
#if MPI_VERSION >= 3
  if (is_of_window(run)) close_window(run);
#endif
  free(micros);
}

/* Prints the line about the job and the names of the columns. */
static void head(void) {
  char name[MPI_MAX_PROCESSOR_NAME] = "", *names = malloc((size_t)ranks * MPI_MAX_PROCESSOR_NAME);
  int length, nodes = 0, i, k;
  MPI_Get_processor_name(name, &length);
  MPI_Gather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    for (i = 0; i < ranks; i++) {
      for (k = 0; k < i && strcmp(names + i * MPI_MAX_PROCESSOR_NAME, names + k * MPI_MAX_PROCESSOR_NAME) != 0; k++);
      nodes += k == i;
    }
    printf("# %d ranks on %d node%s: ", ranks, nodes, nodes == 1 ? "" : "s");
#if MPI_VERSION >= 3
    {
      char library[MPI_MAX_LIBRARY_VERSION_STRING];
      MPI_Get_library_version(library, &length);
      library[strcspn(library, ",\n")] = '\0';
      for (i = 0; library[i]; i++) if (library[i] == '\t') library[i] = ' ';
      printf("%s\n", library);
    }
#elif defined LAM_MPI
    printf("LAM/MPI %d.%d.%d\n", LAM_MAJOR_VERSION, LAM_MINOR_VERSION, LAM_RELEASE_VERSION);
#else
    printf("MPI %d.%d\n", MPI_VERSION, MPI_SUBVERSION);
#endif
    printf("%-14s %9s %7s %11s %11s %11s %11s %11s\n", "operation", "bytes", "calls", "min[us]", "p50[us]", "p90[us]", "p99[us]", "MB/s");
    fflush(stdout);
  }
  free(names);
}

static int failure(const char *why, const char *what) {
  if (rank == 0) fprintf(stderr, "collbench: %s%s; usage: collbench CALLS SIZE[,SIZE]... OPERATION...\n", why, what);
  MPI_Finalize();
  return 2;
}

int main(int argc, char **argv) {
  long sizes[64], max = 0;
  int count = 0, calls, i, k, o;
  char *size;
  size_t length;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) return failure("at least 2 ranks are needed", "");
  if (argc < 4) return failure("arguments are missing", "");
  calls = atoi(argv[1]);
  if (calls < 1) return failure("not a number of calls: ", argv[1]);
  for (size = strtok(argv[2], ","); size && count < 64; size = strtok(NULL, ",")) {
    char *unit;
    long bytes = strtol(size, &unit, 10) << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 0);
    if (bytes < 8 || bytes % 8 || bytes > 1L << 30) return failure("not a size, or no multiple of 8: ", size);
    sizes[count++] = bytes;
    if (bytes > max) max = bytes;
  }
  length = (size_t)max > (size_t)ranks * sizeof(double) ? (size_t)max : (size_t)ranks * sizeof(double);
  for (i = 0; i < count; i++)
    if (is_block(sizes[i]) && length < (size_t)sizes[i] * (size_t)ranks) length = (size_t)sizes[i] * (size_t)ranks;
  for (i = 3; i < argc; i++)
    if (strcmp(argv[i], "vector") == 0 && length < 2 * (size_t)max) length = 2 * (size_t)max;
  /* not calloc: memory that is touched for the first time would be measured */
  outgoing = memset(malloc(length), 0, length);
  incoming = memset(malloc(length), 0, length);
  counts = malloc(sizeof(int) * (size_t)ranks);
  head();
  for (i = 3; i < argc; i++) {
#if MPI_VERSION >= 3
    if (strcmp(argv[i], "create") == 0) { created = 1; continue; }
#endif
    for (o = 0; o < OPERATIONS && strcmp(operations[o].name, argv[i]) != 0; o++);
    if (o == OPERATIONS) return failure("not an operation: ", argv[i]);
    for (k = 0; k < count; k++) {
      if (operations[o].run == barrier) {
        if (k == 0) measure(o, 0, calls);
#if MPI_VERSION >= 3
      } else if (operations[o].run == fetch) {
        if (k == 0) measure(o, sizeof(long long), calls);
#endif
      } else if (!operations[o].blocks || is_block(sizes[k])) {
        measure(o, sizes[k], share(sizes[k], calls));
      }
    }
  }
  MPI_Finalize();
  return 0;
}
