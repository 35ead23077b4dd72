import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;
import mpi.ProcessFailedException;
import mpi.Request;
import mpi.RevokedException;

/**
 * Calls collectives of many kinds and sends messages around a ring, and goes on without ranks that fail: revoke, shrink, agree on the step to go on
 * with. Compares each result with the expected one whenever a call reports success. Ends when a file {@code stop} exists in the folder that is the
 * first argument. A rank fails when a file {@code die-RANK} exists there, which says how. The second argument is the seed of the calls; {@code dup}
 * as third one has the program duplicate its communicator in each step.
 */
public final class Survivors {
    private static final int TAG = 5;
    private static final int[] COUNTS = {1, 3, 100, 3_000, 20_000};
    private static final int KINDS = 14;
    private static final int STOP_EVERY = 8;

    private static Path folder;
    private static long seed;
    private static boolean duplicates;
    private static int worldRank;
    private static int checks;
    /** Whether this rank fails when it has started its next call. */
    private static boolean failsWithin;
    /** The sizes of the communicators on which the steps before each step were made, as a number. */
    private static final List<Long> answers = new ArrayList<>(List.of(0L));
    // used again by the next step: a call that has failed must not write into them later
    private static IntBuffer sent;
    private static IntBuffer got;

    private interface Call {
        void run() throws MPIException;
    }

    private interface Start<T> {
        T call() throws MPIException;
    }

    private Survivors() {}

    /** Runs the program. */
    public static void main(String[] args) throws Exception {
        folder = Path.of(args[0]);
        seed = Long.parseLong(args[1]);
        duplicates = args.length > 2 && args[2].equals("dup");
        MPI.Init(args);
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        worldRank = MPI.COMM_WORLD.getRank();
        sent = MPI.newIntBuffer(MPI.COMM_WORLD.getSize() * 20_000);
        got = MPI.newIntBuffer(MPI.COMM_WORLD.getSize() * 20_000);
        Intracomm c = MPI.COMM_WORLD.dup();
        System.out.println("rank " + worldRank + " pid " + ProcessHandle.current().pid() + " node " + MPI.getNodeName());
        int[] step = {0};
        while (!isDone(c, step)) {
            c = restart(c, step);
        }
        System.out.println("done " + worldRank + ": size=" + c.getSize() + " steps=" + step[0] + " answer=" + answers.get(step[0])
            + " checks=" + checks);
        MPI.Finalize();
    }

    /** Makes steps until all are to end or a call fails; returns whether all ranks of the communicator have made all steps. */
    private static boolean isDone(Intracomm c, int[] step) throws Exception {
        boolean isWhole = false;
        try {
            boolean isOver = false;
            while (!isOver) {
                die();
                step(c, step[0]);
                long answer = answers.get(step[0]) * 31 + c.getSize();
                step[0]++;
                answers.subList(step[0], answers.size()).clear();
                answers.add(answer);
                if (step[0] == 40 && c.getRank() == 0) {
                    System.out.println("running " + c.getSize());
                }
                if (step[0] % STOP_EVERY == 0) {
                    int[] stop = {Files.exists(folder.resolve("stop")) ? 1 : 0};
                    c.allReduce(stop, 1, MPI.INT, MPI.MAX);
                    isOver = stop[0] == 1;
                }
            }
            die();
            if (failsWithin) {
                throw new IllegalStateException("told to fail");
            }
            isWhole = true;
        } catch (ProcessFailedException | RevokedException e) {
            c.revoke();
        }
        int[] all = {isWhole ? 1 : 0};
        try {
            c.agree(all);
            return all[0] == 1;
        } catch (ProcessFailedException e) {
            return false;
        }
    }

    /** Returns a communicator of the ranks that live, which agree on the step to go on with. */
    private static Intracomm restart(Intracomm from, int[] step) throws Exception {
        Intracomm c = from;
        while (true) {
            Intracomm next = c.shrink();
            c.free();
            c = next;
            int[] least = {step[0]};
            int[] isDone = {0};
            try {
                c.allReduce(least, 1, MPI.INT, MPI.MIN);
                isDone[0] = 1;
            } catch (ProcessFailedException | RevokedException e) {
                c.revoke();
            }
            try {
                c.agree(isDone);
            } catch (ProcessFailedException e) {
                // the flag is set nevertheless
            }
            if (isDone[0] == 1) {
                step[0] = least[0];
                if (c.getRank() == 0) {
                    System.out.println("on " + c.getSize() + " from step " + step[0] + " at " + System.currentTimeMillis());
                }
                return c;
            }
        }
    }

    private static void die() throws Exception {
        Path how = folder.resolve("die-" + worldRank);
        if (!Files.exists(how)) {
            return;
        }
        switch (Files.readString(how)) {
            case "throw" -> throw new IllegalStateException("told to fail");
            case "throw within" -> failsWithin = true;
            case "exit 0" -> System.exit(0);
            case "exit 3" -> System.exit(3);
            case "error" -> throw new StackOverflowError("told to fail");
            default -> throw new AssertionError("does not know how to fail");
        }
    }

    private static int value(int rank, int step, int i) {
        return rank * 1_000_003 + step * 7_919 + i;
    }

    private static void expect(String what, int step, int count, IntUnaryOperator expected) {
        for (int i = 0; i < count; i++) {
            if (got.get(i) != expected.applyAsInt(i)) {
                System.out.println("wrong: " + what + ", step " + step + ", rank " + worldRank + ", " + i + ": " + got.get(i) + ", expected "
                    + expected.applyAsInt(i));
                throw new AssertionError("wrong");
            }
        }
        checks++;
    }

    private static void run(int form, Call blocking, Start<Request> nonblocking, Start<Prequest> persistent) throws MPIException {
        if (failsWithin) {
            nonblocking.call();
            throw new IllegalStateException("told to fail");
        }
        switch (form) {
            case 0 -> blocking.run();
            case 1 -> nonblocking.call().waitFor();
            default -> {
                Prequest p = persistent.call();
                try {
                    for (int i = 0; i < 2; i++) {
                        p.start();
                        p.waitFor();
                    }
                } finally {
                    p.free();
                }
            }
        }
    }

    private static void step(Intracomm c, int step) throws MPIException {
        Random random = new Random(seed * 100_003 + step);
        random.nextInt();
        int kind = random.nextInt(KINDS);
        int n = COUNTS[random.nextInt(COUNTS.length)];
        int size = c.getSize();
        int me = c.getRank();
        int root = random.nextInt(1 << 20) % size;
        int form = random.nextInt(3);
        boolean isRoot = me == root;
        int block = Math.max(1, n / size);
        for (int i = 0; i < Math.max(n, size * block); i++) {
            sent.put(i, value(me, step, i));
            got.put(i, kind == 0 && isRoot ? value(me, step, i) : -1);
        }
        int ranksSum = size * (size - 1) / 2;
        IntUnaryOperator sum = i -> ranksSum * 1_000_003 + size * (step * 7_919 + i);
        IntBuffer s = sent;
        IntBuffer r = got;
        switch (kind) {
            case 0 -> {
                run(form, () -> c.bcast(r, n, MPI.INT, root), () -> c.iBcast(r, n, MPI.INT, root), () -> c.bcastInit(r, n, MPI.INT, root));
                expect("bcast", step, n, i -> value(root, step, i));
            }
            case 1 -> {
                IntBuffer to = isRoot ? r : null;
                run(form, () -> c.reduce(s, to, n, MPI.INT, MPI.SUM, root), () -> c.iReduce(s, to, n, MPI.INT, MPI.SUM, root),
                    () -> c.reduceInit(s, to, n, MPI.INT, MPI.SUM, root));
                expect("reduce", step, isRoot ? n : 0, sum);
            }
            case 2, 13 -> {
                run(form, () -> c.allReduce(s, r, n, MPI.INT, MPI.SUM), () -> c.iAllReduce(s, r, n, MPI.INT, MPI.SUM),
                    () -> c.allReduceInit(s, r, n, MPI.INT, MPI.SUM));
                expect("allreduce", step, n, sum);
            }
            case 3 -> {
                IntBuffer to = isRoot ? r : null;
                run(form, () -> c.gather(s, block, MPI.INT, to, block, MPI.INT, root), () -> c.iGather(s, block, MPI.INT, to, block, MPI.INT, root),
                    () -> c.gatherInit(s, block, MPI.INT, to, block, MPI.INT, root));
                expect("gather", step, isRoot ? size * block : 0, i -> value(i / block, step, i % block));
            }
            case 4 -> {
                IntBuffer from = isRoot ? s : null;
                run(form, () -> c.scatter(from, block, MPI.INT, r, block, MPI.INT, root),
                    () -> c.iScatter(from, block, MPI.INT, r, block, MPI.INT, root),
                    () -> c.scatterInit(from, block, MPI.INT, r, block, MPI.INT, root));
                expect("scatter", step, block, i -> value(root, step, me * block + i));
            }
            case 5 -> {
                run(form, () -> c.allGather(s, block, MPI.INT, r, block, MPI.INT), () -> c.iAllGather(s, block, MPI.INT, r, block, MPI.INT),
                    () -> c.allGatherInit(s, block, MPI.INT, r, block, MPI.INT));
                expect("allgather", step, size * block, i -> value(i / block, step, i % block));
            }
            case 6 -> {
                run(form, () -> c.allToAll(s, block, MPI.INT, r, block, MPI.INT), () -> c.iAllToAll(s, block, MPI.INT, r, block, MPI.INT),
                    () -> c.allToAllInit(s, block, MPI.INT, r, block, MPI.INT));
                expect("alltoall", step, size * block, i -> value(i / block, step, me * block + i % block));
            }
            case 7 -> {
                run(form, () -> c.scan(s, r, n, MPI.INT, MPI.SUM), () -> c.iScan(s, r, n, MPI.INT, MPI.SUM),
                    () -> c.scanInit(s, r, n, MPI.INT, MPI.SUM));
                expect("scan", step, n, i -> me * (me + 1) / 2 * 1_000_003 + (me + 1) * (step * 7_919 + i));
            }
            case 8 -> {
                run(form, () -> c.exScan(s, r, n, MPI.INT, MPI.SUM), () -> c.iExScan(s, r, n, MPI.INT, MPI.SUM),
                    () -> c.exScanInit(s, r, n, MPI.INT, MPI.SUM));
                expect("exscan", step, me == 0 ? 0 : n, i -> me * (me - 1) / 2 * 1_000_003 + me * (step * 7_919 + i));
            }
            case 9 -> {
                run(form, () -> c.reduceScatterBlock(s, r, block, MPI.INT, MPI.SUM), () -> c.iReduceScatterBlock(s, r, block, MPI.INT, MPI.SUM),
                    () -> c.reduceScatterBlockInit(s, r, block, MPI.INT, MPI.SUM));
                expect("reduce-scatter", step, block, i -> sum.applyAsInt(me * block + i));
            }
            case 10 -> run(form, c::barrier, c::iBarrier, c::barrierInit);
            case 11 -> {
                ring(c, form, n, step);
                expect("ring", step, n, i -> value((me + size - 1) % size, step, i));
            }
            default -> several(c, step);
        }
        if (duplicates) {
            duplicate(c);
        }
    }

    private static void ring(Intracomm c, int form, int n, int step) throws MPIException {
        int next = (c.getRank() + 1) % c.getSize();
        int before = (c.getRank() + c.getSize() - 1) % c.getSize();
        if (form == 0) {
            c.sendRecv(sent, n, MPI.INT, next, TAG, got, n, MPI.INT, MPI.ANY_SOURCE, TAG);
        } else if (form == 1) {
            Request receives = c.iRecv(got, n, MPI.INT, before, TAG);
            try {
                c.send(sent, n, MPI.INT, next, TAG);
            } finally {
                // its memory is used again
                receives.waitFor();
            }
        } else {
            try {
                Request.waitAll(new Request[] {c.iRecv(got, n, MPI.INT, before, TAG), c.isSend(sent, n, MPI.INT, next, TAG)});
            } catch (MPIException e) {
                // the error of several requests has the errors of each as causes
                throw e.getErrorClass() == MPI.ERR_IN_STATUS && e.getCause() instanceof MPIException why ? why : e;
            }
        }
    }

    /** Has several operations in flight at a time. */
    private static void several(Intracomm c, int step) throws MPIException {
        int size = c.getSize();
        int[] sum = {c.getRank() + 1};
        int[] all = new int[size];
        int[] first = {c.getRank() == size - 1 ? step : -1};
        Request[] requests = {c.iAllReduce(sum, 1L, MPI.INT, MPI.SUM), c.iBarrier(),
            c.iAllGather(new int[] {c.getRank() + step}, 1L, MPI.INT, all, 1L, MPI.INT), c.iBcast(first, 1L, MPI.INT, size - 1)};
        MPIException why = null;
        for (Request r : requests) {
            try {
                r.waitFor();
            } catch (ProcessFailedException | RevokedException e) {
                why = e;
                c.revoke();
            }
        }
        if (why != null) {
            throw why;
        }
        int[] expected = new int[size];
        Arrays.setAll(expected, i -> i + step);
        if (sum[0] != size * (size + 1) / 2 || !Arrays.equals(expected, all) || first[0] != step) {
            System.out.println("wrong: several, step " + step + ", rank " + worldRank + ": " + sum[0] + ", " + Arrays.toString(all) + ", "
                + first[0]);
            throw new AssertionError("wrong");
        }
        checks += 3;
    }

    private static void duplicate(Intracomm c) throws MPIException {
        Intracomm d = c.dup();
        try {
            int[] one = {1};
            d.allReduce(one, 1, MPI.INT, MPI.SUM);
            if (one[0] != c.getSize()) {
                System.out.println("wrong: dup");
                throw new AssertionError("wrong");
            }
            checks++;
        } catch (MPIException e) {
            d.revoke();
            throw e;
        } finally {
            d.free();
        }
    }
}
