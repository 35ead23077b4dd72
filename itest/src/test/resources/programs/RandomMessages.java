import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import mpi.Datatype;
import mpi.MPI;
import mpi.Message;
import mpi.Request;
import mpi.Status;

/**
 * Sends random messages between all ranks for some seconds, and compares each with a model: every rank draws the same messages of a round, and knows
 * what it must receive. The second argument is the number of the first round.
 */
public class RandomMessages {
    private static final int MOST = 24;
    private static Datatype gaps;

    /** A message of a round: who sends what to whom, and how. */
    private record Drawn(int from, int to, int tag, int bytes, long content, int memory, int mode, int into, int way) {
        byte[] data() {
            byte[] data = new byte[bytes];
            new SplittableRandom(content).nextBytes(data);
            return data;
        }
    }

    /** Memory of a message: an array, direct memory, or an array of longs with gaps. */
    private record Held(Object buffer, int count, Datatype type, int bytes) {
        byte[] content() {
            byte[] content = new byte[bytes];
            switch (buffer) {
                case byte[] array -> System.arraycopy(array, 0, content, 0, bytes);
                case ByteBuffer direct -> direct.get(0, content);
                default -> {
                    long[] all = (long[]) buffer;
                    ByteBuffer packed = ByteBuffer.wrap(content).order(ByteOrder.nativeOrder());
                    for (int i = 0; i < bytes / 8; i++) {
                        packed.putLong(8 * i, all[2 * i]);
                        if (all[2 * i + 1] != -1) {
                            throw new IllegalStateException("a gap was written: at=" + (2 * i + 1));
                        }
                    }
                }
            }
            return content;
        }
    }

    private static Held memory(int kind, byte[] content) throws Exception {
        if (kind == 0 || kind == 2 && content.length % 8 != 0) {
            return new Held(content.clone(), content.length, MPI.BYTE, content.length);
        }
        if (kind == 1) {
            return new Held(MPI.newByteBuffer(content.length).put(0, content), content.length, MPI.BYTE, content.length);
        }
        long[] all = new long[content.length / 4];
        Arrays.fill(all, -1);
        ByteBuffer packed = ByteBuffer.wrap(content).order(ByteOrder.nativeOrder());
        for (int i = 0; i < content.length / 8; i++) {
            all[2 * i] = packed.getLong(8 * i);
        }
        return new Held(all, content.length / 8, gaps, content.length);
    }

    private static int size(SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextInt(100);
            case 1 -> 8 * random.nextInt(1000);
            case 2 -> 32 * 1024 + random.nextInt(-2, 3);
            case 3 -> 8 * random.nextInt(30_000);
            case 4 -> random.nextInt(300_000);
            default -> random.nextInt(20) == 0 ? 8 * random.nextInt(600_000) : random.nextInt(70_000);
        };
    }

    private static List<Drawn> draw(long round, int ranks) {
        SplittableRandom random = new SplittableRandom(round * 7919 + ranks);
        List<Drawn> drawn = new ArrayList<>();
        int messages = random.nextInt(1, MOST);
        for (int i = 0; i < messages; i++) {
            drawn.add(new Drawn(random.nextInt(ranks), random.nextInt(ranks), random.nextInt(3), size(random), random.nextLong(), random.nextInt(3),
                random.nextInt(3), random.nextInt(3), random.nextInt(4)));
        }
        return drawn;
    }

    private static Request send(Drawn m) throws Exception {
        Held from = memory(m.memory(), m.data());
        return switch (m.mode()) {
            case 0 -> MPI.COMM_WORLD.iSend(from.buffer(), from.count(), from.type(), m.to(), m.tag());
            case 1 -> MPI.COMM_WORLD.isSend(from.buffer(), from.count(), from.type(), m.to(), m.tag());
            default -> {
                var persistent = MPI.COMM_WORLD.sendInit(from.buffer(), from.count(), from.type(), m.to(), m.tag());
                persistent.start();
                yield persistent;
            }
        };
    }

    private static void check(Drawn m, Held received) {
        if (!Arrays.equals(m.data(), received.content())) {
            throw new IllegalStateException("wrong content: message=" + m);
        }
    }

    /** Receives what one rank has sent, in its order: messages of one pair with one tag do not overtake each other. */
    private static void round(long round, int rank, int ranks) throws Exception {
        List<Drawn> drawn = draw(round, ranks);
        List<Request> requests = new ArrayList<>();
        List<Drawn> later = new ArrayList<>();
        List<Drawn> posted = new ArrayList<>();
        List<Held> into = new ArrayList<>();
        boolean[] isProbed = new boolean[3 * ranks];
        for (Drawn m : drawn) {
            if (m.to() == rank) {
                // a message that is probed must not be received by a request that is posted after it
                boolean probes = isProbed[3 * m.from() + m.tag()] |= m.way() == 3;
                if (probes) {
                    later.add(m);
                } else {
                    Held held = memory(m.into(), new byte[m.bytes()]);
                    posted.add(m);
                    into.add(held);
                    requests.add(MPI.COMM_WORLD.iRecv(held.buffer(), held.count(), held.type(), m.from(), m.tag()));
                }
            }
        }
        for (Drawn m : drawn) {
            if (m.from() == rank) {
                requests.add(send(m));
            }
        }
        for (Drawn m : later) {
            Message message = new Message();
            message.mProbe(m.from(), m.tag(), MPI.COMM_WORLD);
            Held held = memory(m.into(), new byte[m.bytes()]);
            Status status = message.mRecv(held.buffer(), held.count(), held.type());
            if (status.getCount(MPI.BYTE) != m.bytes()) {
                throw new IllegalStateException("wrong length: message=" + m + ", bytes=" + status.getCount(MPI.BYTE));
            }
            check(m, held);
        }
        for (Request r : requests) {
            r.waitFor();
        }
        for (int i = 0; i < posted.size(); i++) {
            check(posted.get(i), into.get(i));
        }
    }

    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.getRank();
        int ranks = MPI.COMM_WORLD.getSize();
        gaps = Datatype.createResized(MPI.LONG, 0, 16);
        gaps.commit();
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        long first = Long.parseLong(args[1]);
        long rounds = 0;
        if (rank == 1) {
            System.out.println("pid " + ProcessHandle.current().pid());
        }
        int[] goesOn = {1};
        while (goesOn[0] == 1) {
            round(first + rounds++, rank, ranks);
            goesOn[0] = System.nanoTime() < end ? 1 : 0;
            MPI.COMM_WORLD.bcast(goesOn, 1, MPI.INT, 0);
        }
        if (rank == 0) {
            System.out.println("rounds " + rounds);
        }
        MPI.Finalize();
    }
}
