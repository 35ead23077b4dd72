package tutti.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tutti.cli.bench.BenchResult;
import tutti.cli.bench.BenchTable;
import tutti.daemon.command.SimilarNames;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Protocol;
import tutti.pictures.Drawing;

/** {@code tutti bench}: measures how long messages and collective operations take, and prints a table. */
@Command(name = "bench", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Measures how long messages and collective operations take in a job with these options, and prints a table.",
        "A barrier precedes each call. The time of a call is that of the slowest rank. The table has the minimum, the median and the 90th and 99th "
            + "percentile in microseconds.",
        "pingpong is a message from rank 0 to rank 1 and back; vector is the same with data in blocks of 64 bytes and gaps of 64 bytes between them; "
            + "bandwidth is 64 messages from rank 0 to rank 1 that one message acknowledges.",
        "put, get, accumulate and fetch (fetchAndOp of a long) are accesses of rank 0 to a window of rank 1, with a flush; puts and gets are 64 of "
            + "them; fence, pscw (post, start, complete, waitFor) and lock are a put with the calls around it; passive is a put, a get and an "
            + "accumulate under a lock, while rank 1 computes for 10 ms."})
final class BenchCommand implements Callable<Integer> {
    /** Operations that are measured by default. */
    private static final List<String> MEASURED = List.of("pingpong", "bandwidth", "barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall",
        "reduce_scatter");
    /** Operations that can be measured. */
    private static final List<String> KNOWN =
        Stream.concat(MEASURED.stream(), Stream.of("vector", "put", "get", "puts", "gets", "accumulate", "fetch", "fence",
            "pscw", "lock", "passive")).toList();
    /** First argument of the program for buffers in direct memory. */
    private static final String DIRECT = "direct";
    /** First argument of the program, after that one, for windows of the program's memory. */
    private static final String CREATE = "create";
    /** Program in bundle {@code mpi.api}, which every node has. */
    private static final String PROGRAM = "tutti.mpi.programs.Bench";
    private static final int MAX_CALLS = 10_000_000;
    /** Maximum size of a rank's block, unless all blocks together have at most {@link #MAX_BLOCKS}. */
    private static final long MAX_BLOCK = 1 << 20;
    private static final long MAX_BLOCKS = 16 << 20;

    @Mixin
    private JobOptions job;

    @Option(names = "--sizes", paramLabel = "BYTES", split = ",", defaultValue = "8,1K,64K,1M,16M",
        description = "sizes of a message or of the data of a call, of one block for allgather and alltoall, up to 1M, or 16M for the "
            + "blocks of all ranks; by default ${DEFAULT-VALUE}")
    private List<String> sizes;

    @Option(names = "--calls", paramLabel = "CALLS", defaultValue = "2000",
        description = "number of calls measured of each operation, for sizes up to 1K; a fifth of it up to 64K, 3 %% up to 1M, 0.4 %% above; "
            + "fewer where they take more than 10 s; by default ${DEFAULT-VALUE}")
    private int calls;

    @Option(names = "--warmup", paramLabel = "CALLS", defaultValue = "0",
        description = "number of calls before, which do not count, in addition to a fifth of the measured calls and two; fewer for large sizes like "
            + "--calls; by default ${DEFAULT-VALUE}")
    private int warmup;

    @Option(names = "--direct", description = "measure with buffers in direct memory, of MPI.newDoubleBuffer, instead of arrays")
    private boolean direct;

    @Option(names = "--create", description = "measure with windows of the buffers' memory, of the constructor for memory of the program, instead of "
        + "windows that allocate it")
    private boolean create;

    @Option(names = "--json", paramLabel = "FILE", description = "write the table as JSON")
    private @Nullable Path json;

    @Option(names = "--plot", paramLabel = "FILE", description = "write a plot of the medians on log scales: FILE.svg or FILE.png")
    private @Nullable Path plot;

    @Parameters(paramLabel = "OPERATION",
        description = "pingpong, bandwidth, barrier, bcast, reduce, allreduce, allgather, alltoall, reduce_scatter; by default all of "
            + "these; also vector, put, get, puts, gets, accumulate, fetch, fence, pscw, lock, passive")
    private List<String> operations = new ArrayList<>();

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws Exception {
        check();
        final List<String> args = measurements(Sizes.parse(sizes, command));
        final int rows = args.size();
        job.refuse(rows == 0, "nothing to measure: allgather and alltoall have sizes up to 1M, or 16M for all ranks");
        if (create) {
            args.addFirst(CREATE);
        }
        if (direct) {
            args.addFirst(DIRECT);
        }
        final List<String> table = new ArrayList<>();
        final ProgressBar progress = ProgressBar.onStandardError(rows, 0);
        int status;
        try (LineSplitter out = new LineSplitter(line -> {
            table.add(line);
            BenchResult.parse(line).ifPresent(r -> progress.step(r.operation() + " " + r.bytes() + " bytes"));
        })) {
            status = job.run(new JobOptions.JobRequest("bench", 0, new RankOptions(), RunCluster.Tuning.SPEED, List.of(), out, null, null),
                () -> Program.builtIn(PROGRAM, args));
        } finally {
            // what a job measured before it failed is shown, too
            table.forEach(System.out::println);
        }
        if (status == ExitStatus.OK) {
            write(BenchTable.parse(table).orElseThrow());
        }
        return status;
    }

    private void check() {
        job.check(false);
        job.refuse(job.ranks() < 2, "ranks out of range: -n " + job.ranks() + ", range=2.." + Protocol.MAX_RANKS);
        job.refuse(calls < 1 || calls > MAX_CALLS, "calls out of range: --calls " + calls + ", range=1.." + MAX_CALLS);
        job.refuse(warmup < 0 || warmup > MAX_CALLS, "calls out of range: --warmup " + warmup + ", range=0.." + MAX_CALLS);
        for (final String o : operations) {
            job.refuse(!KNOWN.contains(o), "cannot be measured: " + o + SimilarNames.suggestion(o, KNOWN));
        }
        job.checkOutput("--json", json);
        job.refuse(plot != null && Drawing.FORMATS.stream().noneMatch(plot.toString()::endsWith), "unknown format: --plot " + plot
            + ", known: " + String.join(", ", Drawing.FORMATS));
        job.checkOutput("--plot", plot);
    }

    /** Returns the arguments of the program. */
    private List<String> measurements(final SortedSet<Long> bytes) {
        final List<String> args = new ArrayList<>();
        for (final String o : operations.isEmpty() ? MEASURED : operations) {
            for (final long b : o.equals("barrier") ? List.of(0L) : o.equals("fetch") ? List.of((long) Long.BYTES) : bytes) {
                if (b <= MAX_BLOCK || b * job.ranks() <= MAX_BLOCKS || !o.equals("allgather") && !o.equals("alltoall")) {
                    final int measured = Math.max(1, share(b, calls));
                    args.add(o + ":" + b + ":" + measured + ":" + (measured / 5 + 2 + share(b, warmup)));
                }
            }
        }
        return args;
    }

    /** Returns the share of calls that are made with a size. */
    private static int share(final long bytes, final int calls) {
        final double share = bytes <= 1 << 10 ? 1 : bytes <= 1 << 16 ? 0.2 : bytes <= 1 << 20 ? 0.03 : 0.004;
        return (int) Math.round(share * calls);
    }

    private void write(final BenchTable table) {
        write("--json", json, table::writeJson);
        write("--plot", plot, table::plot);
    }

    /** Writer of a file. */
    private interface FileWriter {
        void write(Path file) throws IOException;
    }

    private static void write(final String option, final @Nullable Path file, final FileWriter writer) {
        if (file != null) {
            try {
                writer.write(OutputFile.withFolder(file));
            } catch (final IOException e) {
                throw OutputFile.failure(ExitStatus.FAILED, option, file.toString(), e);
            }
        }
    }
}
