import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.ucx.UcxTransport;

/**
 * Checks transport ucx between two processes, and measures it. {@code bench/fabric} runs it.
 *
 * <pre>
 * both CALLS MAX                measure, with a process that serves on this host, and is killed in the end
 * serve HOST:PORT CALLS MAX     serve one link
 * measure HOST:PORT CALLS MAX
 * </pre>
 *
 * <p>The first byte of a frame is its command. The process that serves answers each one but {@link #COUNT}.
 */
public final class Fabric {
    private static final byte ECHO = 'e';
    private static final byte COUNT = 'c';
    private static final byte REPORT = 'r';
    private static final byte EXPOSE = 'x';
    private static final byte FILL = 'f';
    private static final byte VERIFY = 'v';
    private static final byte POLL = 'p';
    private static final byte WAIT = 'w';

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);
    private static final Hello HELLO = new Hello("fabric", new byte[0]);
    private static final byte[] NONE = new byte[0];
    private static final int UNDER_WAY = 16;

    private Fabric() {
    }

    /** A check that has failed. */
    private static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;

        Failure(final String message) {
            super(message);
        }
    }

    /** Runs the program. */
    public static void main(final String[] arguments) throws InterruptedException {
        int status = 1;
        try {
            final int last = arguments.length - 1;
            final int calls = Integer.parseInt(arguments[last - 1]);
            final long max = bytes(arguments[last]);
            switch (arguments[0]) {
                case "serve" -> serve(address(arguments[1]), max);
                case "measure" -> measure(address(arguments[1]), calls, max, null);
                default -> both(calls, max);
            }
            System.out.println("fabric: works");
            status = 0;
        } catch (final Failure | IOException | RuntimeException e) {
            System.out.println("fabric: FAILED: " + (e instanceof RuntimeException ? e : e.getMessage()));
        }
        System.exit(status);
    }

    private static long bytes(final String text) throws Failure {
        final long unit = switch (text.charAt(text.length() - 1)) {
            case 'K' -> 1L << 10;
            case 'M' -> 1L << 20;
            default -> 1L << 30;
        };
        final long bytes = Long.parseLong(text.substring(0, text.length() - 1)) * unit;
        if (bytes > 1L << 30) {
            throw new Failure("memory is too long: --max " + text + ", at most 1G");
        }
        return bytes;
    }

    private static InetSocketAddress address(final String text) {
        final int colon = text.lastIndexOf(':');
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    private static void both(final int calls, final long max) throws Failure, IOException, InterruptedException {
        final Path source = Path.of(System.getProperty("jdk.launcher.sourcefile", "bench/src/fabric/Fabric.java"));
        final Process server = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-Dslf4j.internal.verbosity=ERROR", "-cp", System.getProperty("java.class.path"), source.toString(),
            "serve", "127.0.0.1:0", Integer.toString(calls), (max >> 10) + "K")).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader lines = server.inputReader()) {
            final String line = lines.readLine();
            if (line == null || !line.startsWith("listening ")) {
                throw new Failure("the process that serves has ended: " + line);
            }
            measure(address(line.substring("listening ".length())), calls, max, server);
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    private static byte[] pattern(final int bytes, final long seed) {
        final byte[] pattern = new byte[bytes];
        new SplittableRandom(seed).nextBytes(pattern);
        return pattern;
    }

    /** Returns the command to fill or to verify bytes of the memory. */
    private static byte[] region(final byte command, final long offset, final long bytes, final long seed) {
        return ByteBuffer.allocate(1 + 3 * Long.BYTES).put(command).putLong(offset).putLong(bytes).putLong(seed).array();
    }

    // The process that serves.

    private static void serve(final InetSocketAddress address, final long max) throws IOException, InterruptedException {
        final Server server = new Server(max);
        try (UcxTransport transport = new UcxTransport(); Listener listener = transport.listen(address, (link, hello) -> {
            server.link = link;
            return server;
        })) {
            System.out.println("listening " + listener.address().getHostString() + ":" + listener.address().getPort());
            System.out.flush();
            while (!server.ended.await(server.polls ? 0 : 1, TimeUnit.MILLISECONDS)) {
                final Link link = server.link;
                for (int i = 0; i < 1_000 && server.polls && link != null; i++) {
                    link.poll();
                }
            }
        }
    }

    /** Answers the commands of the process that measures. */
    private static final class Server implements LinkHandler {
        private final MemorySegment memory;
        private final CountDownLatch ended = new CountDownLatch(1);
        private final CRC32C sum = new CRC32C();
        private volatile Link link;
        private volatile boolean polls;
        private long frames;

        Server(final long max) {
            memory = Arena.global().allocate(max, 4_096);
        }

        @Override
        public boolean isWakeUpNeeded() {
            return !polls;
        }

        @Override
        public void frame(final Link from, final MemorySegment frame, final long offset, final int bytes) {
            final byte command = frame.get(ValueLayout.JAVA_BYTE, offset);
            if (command == ECHO) {
                answer(from, NONE, frame, offset, bytes);
                return;
            }
            final ByteBuffer content = frame.asSlice(offset, bytes).asByteBuffer().position(1);
            switch (command) {
                case COUNT -> {
                    frames++;
                    sum.update(content);
                }
                case REPORT -> {
                    answer(from, ByteBuffer.allocate(1 + 2 * Long.BYTES).put(REPORT).putLong(frames).putLong(sum.getValue()).array());
                    frames = 0;
                    sum.reset();
                }
                case EXPOSE -> {
                    final BulkAccess access = from.bulk();
                    final byte[] key = access == null ? NONE : access.expose(memory).key();
                    answer(from, ByteBuffer.allocate(1 + key.length).put(EXPOSE).put(key).array());
                }
                case FILL, VERIFY -> {
                    final long at = content.getLong();
                    final MemorySegment region = memory.asSlice(at, content.getLong());
                    final byte[] pattern = pattern((int) region.byteSize(), content.getLong());
                    boolean isRight = true;
                    if (command == FILL) {
                        region.copyFrom(MemorySegment.ofArray(pattern));
                    } else {
                        isRight = region.mismatch(MemorySegment.ofArray(pattern)) < 0;
                    }
                    answer(from, new byte[] {command, (byte) (isRight ? 1 : 0)});
                }
                case POLL, WAIT -> {
                    polls = command == POLL;
                    answer(from, new byte[] {command});
                }
                default -> throw new IllegalArgumentException("unknown command: " + command);
            }
        }

        private static void answer(final Link to, final byte[] answer) {
            answer(to, answer, MemorySegment.NULL, 0, 0);
        }

        private static void answer(final Link to, final byte[] header, final MemorySegment rest, final long offset, final int bytes) {
            if (!to.trySend(header, header.length, rest, offset, bytes)) {
                throw new IllegalStateException("link is full, with one frame under way");
            }
        }

        @Override
        public void writable(final Link to) {
            // there is one answer at a time
        }

        @Override
        public void closed(final Link gone, final Throwable cause) {
            polls = false;
            ended.countDown();
        }
    }

    // The process that measures.

    private static void measure(final InetSocketAddress address, final int calls, final long max, final Process server)
        throws Failure, IOException, InterruptedException {
        try (UcxTransport transport = new UcxTransport()) {
            final Client client = new Client(calls, max);
            client.link = transport.connect(address, HELLO, client, LIMIT);
            System.out.println(client.link);
            final boolean hasMemory = client.link.bulk() != null;
            if (!hasMemory) {
                System.out.println("note: these devices have no reads and writes of memory of their own, so messages go in frames;"
                    + " see --tls and --devices");
            }
            client.checkFrames();
            if (hasMemory) {
                client.checkMemory();
                client.checkAtomics();
            }
            client.setPolls(true);
            client.checkFrames();
            if (hasMemory) {
                client.checkMemory();
            }
            client.measureFrames();
            if (hasMemory) {
                client.measureMemory();
            }
            System.out.println();
            if (server != null) {
                client.checkDeath(server);
            }
        }
    }

    /** An end of an access that is waited for. */
    private static final class End implements BulkAccess.Completion {
        private final AtomicReference<Object> result = new AtomicReference<>();

        @Override
        public void completed(final long value, final IOException failure) {
            if (!result.compareAndSet(null, failure == null ? (Object) value : failure)) {
                System.out.println("fabric: an access has ended twice");
            }
        }
    }

    /** Sends commands, and compares what comes back. */
    private static final class Client implements LinkHandler {
        private final int calls;
        private final long max;
        private final BlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
        private final AtomicReference<Throwable> cause = new AtomicReference<>();
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile Link link;
        private volatile boolean polls;
        /** Memory of the other process; null where the devices have no access to it. */
        private BulkAccess.PeerMemory memory;

        Client(final int calls, final long max) {
            this.calls = calls;
            this.max = max;
        }

        @Override
        public boolean isWakeUpNeeded() {
            return !polls;
        }

        @Override
        public void frame(final Link from, final MemorySegment frame, final long offset, final int bytes) {
            answers.add(frame.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE));
        }

        @Override
        public void writable(final Link to) {
            // a full link is asked again
        }

        @Override
        public void closed(final Link gone, final Throwable why) {
            cause.set(why);
            ended.countDown();
        }

        /** Lets the link work until something is there: polls, or waits a little. */
        private void progress(final long begin, final String what) throws Failure, InterruptedException {
            if (polls) {
                link.poll();
            }
            if (System.nanoTime() - begin > PATIENCE) {
                throw new Failure("no end after 30 s: " + what);
            }
            if (ended.getCount() == 0) {
                throw new Failure("link was closed: " + cause.get() + ": " + what);
            }
        }

        private void send(final byte[] header, final MemorySegment rest, final int bytes) throws Failure, InterruptedException {
            final long begin = System.nanoTime();
            while (!link.trySend(header, header.length, rest, 0, bytes)) {
                progress(begin, "send");
            }
        }

        private byte[] ask(final byte[] command, final String what) throws Failure, InterruptedException {
            return ask(command, MemorySegment.NULL, 0, what);
        }

        private byte[] ask(final byte[] command, final MemorySegment rest, final int bytes, final String what) throws Failure, InterruptedException {
            send(command, rest, bytes);
            final long begin = System.nanoTime();
            byte[] answer = answers.poll();
            while (answer == null) {
                progress(begin, what);
                answer = polls ? answers.poll() : answers.poll(1, TimeUnit.SECONDS);
            }
            return answer;
        }

        private long await(final End end, final String what) throws Failure, InterruptedException {
            final long begin = System.nanoTime();
            while (end.result.get() == null) {
                progress(begin, what);
                if (!polls) {
                    Thread.onSpinWait();
                }
            }
            if (end.result.get() instanceof IOException failure) {
                throw new Failure(what + ": " + failure.getMessage());
            }
            return (Long) end.result.get();
        }

        private String mode() {
            return polls ? "polled" : "woken";
        }

        void setPolls(final boolean value) throws Failure, InterruptedException {
            ask(new byte[] {value ? POLL : WAIT}, "change of the mode");
            polls = value;
            if (!value) {
                link.serve();
            }
        }

        void checkFrames() throws Failure, InterruptedException {
            final SplittableRandom random = new SplittableRandom(1);
            final int most = link.maxFrame();
            int checked = 0;
            for (int i = 0; i < 2_000; i++) {
                final int bytes = i < 100 ? i + 1 : i < 110 ? most - (i - 100) : 1 + random.nextInt(1 + most >> random.nextInt(10));
                final byte[] frame = pattern(bytes, i);
                frame[0] = ECHO;
                final byte[] back = ask(new byte[] {ECHO}, MemorySegment.ofArray(frame).asSlice(1), bytes - 1, "echo of " + bytes + " bytes");
                if (!Arrays.equals(frame, back)) {
                    throw new Failure("frame came back with other contents: bytes=" + bytes + ", returned=" + back.length);
                }
                checked++;
            }
            final CRC32C sum = new CRC32C();
            for (int i = 0; i < 20_000; i++) {
                final byte[] frame = pattern(1 + random.nextInt(1 + most - 1 >> random.nextInt(12)), i);
                sum.update(frame, 0, Math.min(frame.length, most - 1));
                send(new byte[] {COUNT}, MemorySegment.ofArray(frame), Math.min(frame.length, most - 1));
            }
            final ByteBuffer report = ByteBuffer.wrap(ask(new byte[] {REPORT}, "report")).position(1);
            if (report.getLong() != 20_000 || report.getLong() != sum.getValue()) {
                throw new Failure("frames in a burst have arrived in another number, order or form");
            }
            System.out.println("frames: " + checked + " of 1 to " + most + " bytes echoed, 20000 in a burst, " + mode() + ": right");
        }

        void checkMemory() throws Failure, InterruptedException {
            final byte[] answer = ask(new byte[] {EXPOSE}, "exposure of memory");
            if (answer.length == 1) {
                throw new Failure("the other process has no access to memory over the devices, and this one has");
            }
            memory = link.bulk().open(MemorySegment.ofArray(answer), 1, answer.length - 1);
            int checked = 0;
            try (Arena arena = Arena.ofShared()) {
                for (long bytes = 1; bytes <= max; bytes = bytes < 64 ? bytes * 2 : bytes * 4) {
                    for (final int odd : new int[] {0, 1, 7}) {
                        final long length = Math.min(bytes + odd, max);
                        for (final boolean heap : new boolean[] {false, true}) {
                            final MemorySegment local = heap ? MemorySegment.ofArray(new byte[(int) length]) : arena.allocate(length);
                            checkMemory(local, Math.min(odd, max - length));
                            checked++;
                        }
                    }
                }
            }
            System.out.println("memory: " + checked + " writes and reads of 1 to " + max + " bytes, " + mode() + ": right");
        }

        private void checkMemory(final MemorySegment local, final long at) throws Failure, InterruptedException {
            final long bytes = local.byteSize();
            final byte[] content = pattern((int) bytes, bytes);
            local.copyFrom(MemorySegment.ofArray(content));
            final End put = new End();
            memory.put(at, local, 0, bytes, put);
            await(put, "write of " + bytes + " bytes");
            if (ask(region(VERIFY, at, bytes, bytes), "comparison")[1] != 1) {
                throw new Failure("write of " + bytes + " bytes has other contents than were written");
            }
            ask(region(FILL, at, bytes, -bytes), "fill");
            final End get = new End();
            memory.get(at, local, 0, bytes, get);
            await(get, "read of " + bytes + " bytes");
            if (local.mismatch(MemorySegment.ofArray(pattern((int) bytes, -bytes))) >= 0) {
                throw new Failure("read of " + bytes + " bytes has other contents than the memory");
            }
        }

        void checkAtomics() throws Failure, InterruptedException {
            for (final int bytes : new int[] {4, 8}) {
                if (!link.bulk().hasAtomics(bytes)) {
                    System.out.println("atomic operations of " + bytes + " bytes: none");
                    continue;
                }
                final End first = new End();
                memory.swap(64, bytes, 5, first);
                await(first, "swap");
                for (int i = 0; i < 1_000; i++) {
                    final End add = new End();
                    memory.add(64, bytes, 3, add);
                    expect(5 + 3L * i, await(add, "add"), "add of " + bytes + " bytes");
                }
                final End same = new End();
                memory.compareAndSwap(64, bytes, 3_005, -1, same);
                expect(3_005, await(same, "compare and swap"), "compare and swap of " + bytes + " bytes");
                final End other = new End();
                memory.compareAndSwap(64, bytes, 7, 0, other);
                final long ones = bytes == 4 ? 0xFFFF_FFFFL : -1;
                expect(ones, await(other, "compare and swap"), "compare and swap of " + bytes + " bytes");
                final End last = new End();
                memory.swap(64, bytes, 0, last);
                expect(ones, await(last, "swap"), "swap of " + bytes + " bytes");
                System.out.println("atomic operations of " + bytes + " bytes: right");
            }
        }

        private static void expect(final long wanted, final long found, final String what) throws Failure {
            if (wanted != found) {
                throw new Failure(what + " found another value: expected=" + wanted + ", found=" + found);
            }
        }

        // Figures.

        private static double median(final long[] nanos, final double part) {
            final long[] sorted = nanos.clone();
            Arrays.sort(sorted);
            return sorted[(int) (part * (sorted.length - 1))] / 1e3;
        }

        void measureFrames() throws Failure, InterruptedException {
            System.out.println();
            System.out.printf("%-12s %22s %22s %14s%n", "frames", "round trip polled (us)", "round trip woken (us)", "rate (MB/s)");
            System.out.printf("%-12s %11s %10s %11s %10s%n", "bytes", "median", "99 %", "median", "99 %");
            for (final int bytes : new int[] {8, 64, 512, 4 << 10, 16 << 10, link.maxFrame()}) {
                setPolls(true);
                final long[] polled = roundTrips(bytes);
                setPolls(false);
                final long[] woken = roundTrips(bytes);
                setPolls(true);
                System.out.printf("%-12d %11.1f %10.1f %11.1f %10.1f %14.0f%n", bytes, median(polled, 0.5), median(polled, 0.99), median(woken, 0.5),
                    median(woken, 0.99), rate(bytes));
            }
        }

        private long[] roundTrips(final int bytes) throws Failure, InterruptedException {
            final byte[] frame = pattern(bytes, 0);
            frame[0] = ECHO;
            final long[] nanos = new long[calls];
            for (int i = -calls; i < calls; i++) {
                final long begin = System.nanoTime();
                ask(frame, "echo");
                if (i >= 0) {
                    nanos[i] = System.nanoTime() - begin;
                }
            }
            return nanos;
        }

        private double rate(final int bytes) throws Failure, InterruptedException {
            final byte[] frame = pattern(bytes, 0);
            frame[0] = COUNT;
            final long begin = System.nanoTime();
            for (int i = 0; i < 4 * calls; i++) {
                send(frame, MemorySegment.NULL, 0);
                if (i % 4 == 0) {
                    link.poll();
                }
            }
            ask(new byte[] {REPORT}, "report");
            return 4e3 * calls * bytes / (System.nanoTime() - begin);
        }

        void measureMemory() throws Failure, InterruptedException {
            System.out.println();
            System.out.printf("%-12s %12s %12s %14s %14s%n", "memory", "read (us)", "write (us)", "read (MB/s)", "write (MB/s)");
            try (Arena arena = Arena.ofShared()) {
                final MemorySegment local = arena.allocate(max, 4_096);
                for (long bytes = 8; bytes <= max; bytes *= 8) {
                    final int times = (int) Math.max(20, Math.min(calls, (256L << 20) / bytes));
                    System.out.printf("%-12d %12.1f %12.1f %14.0f %14.0f%n", bytes, single(false, local, bytes, times),
                        single(true, local, bytes, times), many(false, local, bytes, times), many(true, local, bytes, times));
                }
            }
            if (link.bulk().hasAtomics(8)) {
                measureAtomics();
            }
        }

        private void measureAtomics() throws Failure, InterruptedException {
            final long[] nanos = new long[calls];
            for (int i = -calls; i < calls; i++) {
                final long begin = System.nanoTime();
                final End end = new End();
                memory.add(64, 8, 1, end);
                await(end, "add");
                if (i >= 0) {
                    nanos[i] = System.nanoTime() - begin;
                }
            }
            System.out.printf("%-12s %12.1f us%n", "atomic add", median(nanos, 0.5));
        }

        private void begin(final boolean isPut, final MemorySegment local, final long bytes, final End end) {
            if (isPut) {
                memory.put(0, local, 0, bytes, end);
            } else {
                memory.get(0, local, 0, bytes, end);
            }
        }

        private double single(final boolean isPut, final MemorySegment local, final long bytes, final int times)
            throws Failure, InterruptedException {
            final long[] nanos = new long[times];
            for (int i = -times / 2; i < times; i++) {
                final long begin = System.nanoTime();
                final End end = new End();
                begin(isPut, local, bytes, end);
                await(end, "access");
                if (i >= 0) {
                    nanos[i] = System.nanoTime() - begin;
                }
            }
            return median(nanos, 0.5);
        }

        /** Returns the rate of accesses of which several are under way. */
        private double many(final boolean isPut, final MemorySegment local, final long bytes, final int times)
            throws Failure, InterruptedException {
            final AtomicLong done = new AtomicLong();
            final AtomicReference<IOException> failure = new AtomicReference<>();
            final long begin = System.nanoTime();
            for (int i = 0; i < times; i++) {
                while (i - done.get() >= UNDER_WAY) {
                    progress(begin, "accesses");
                }
                final BulkAccess.Completion end = (value, why) -> {
                    if (why != null) {
                        failure.set(why);
                    }
                    done.incrementAndGet();
                };
                if (isPut) {
                    memory.put(0, local, 0, bytes, end);
                } else {
                    memory.get(0, local, 0, bytes, end);
                }
            }
            while (done.get() < times) {
                progress(begin, "accesses");
            }
            if (failure.get() != null) {
                throw new Failure("access: " + failure.get().getMessage());
            }
            return 1e3 * times * bytes / (System.nanoTime() - begin);
        }

        /** Kills the other process, and waits for the end of the link. */
        void checkDeath(final Process server) throws Failure, InterruptedException {
            setPolls(false);
            final long begin = System.nanoTime();
            server.destroyForcibly();
            if (!ended.await(30, TimeUnit.SECONDS)) {
                throw new Failure("the link does not end when its peer is killed");
            }
            final long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            if (cause.get() == null) {
                throw new Failure("the link ends without a cause when its peer is killed");
            }
            if (memory != null) {
                final End late = new End();
                memory.get(0, MemorySegment.ofArray(new byte[8]), 0, 8, late);
                if (!(late.result.get() instanceof IOException)) {
                    throw new Failure("an access after the end of the link does not fail");
                }
            }
            System.out.println("death of the peer: noticed after " + millis + " ms");
        }
    }
}
