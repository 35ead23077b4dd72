import java.lang.foreign.ValueLayout;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import mpi.Comm;
import mpi.Datatype;
import mpi.File;
import mpi.Info;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Win;

/**
 * Uses windows and a file on a communicator: {@code world FILE} on MPI.COMM_WORLD, {@code spawn FILE} on that of these ranks and two that they spawn.
 * {@code epochs} and {@code writes FILE} do so for ever, and print process ids first.
 */
public class MemoryAndFiles {
    private static final int COUNT = 20_000;

    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        Intercomm parent = Intercomm.getParent();
        if (!parent.isNull()) {
            use(parent.merge(true), args[0]);
        } else if (args[0].equals("spawn")) {
            int[] codes = new int[2];
            Intercomm children = MPI.COMM_WORLD.spawn(MemoryAndFiles.class.getName(), new String[] {args[1]}, 2, new Info(), 0, codes);
            use(children.merge(false), args[1]);
        } else if (args[0].equals("world")) {
            use(MPI.COMM_WORLD, args[1]);
        } else {
            System.out.println("rank " + MPI.COMM_WORLD.getRank() + " pid " + ProcessHandle.current().pid());
            if (args[0].equals("epochs")) {
                epochs();
            } else {
                writes(args[1]);
            }
        }
        MPI.Finalize();
    }

    private static void use(Intracomm comm, String name) throws MPIException {
        window(comm);
        shared(comm);
        file(comm, name);
        int rank = comm.getRank();
        comm.barrier();
        if (rank == 0) {
            System.out.println("used by " + comm.getSize());
        }
    }

    private static void check(boolean holds, Comm comm, String what) throws MPIException {
        if (!holds) {
            throw new IllegalStateException(what + " on rank " + comm.getRank());
        }
    }

    private static void window(Intracomm comm) throws MPIException {
        int rank = comm.getRank();
        int size = comm.getSize();
        LongBuffer memory = MPI.newLongBuffer(COUNT + 1);
        Win win = new Win(memory, COUNT + 1, 1, new Info(), comm);
        win.setErrhandler(MPI.ERRORS_RETURN);
        win.fence(0);
        long[] data = new long[COUNT];
        Arrays.setAll(data, i -> 1_000_000L * rank + i);
        win.put((Object) data, (long) COUNT, MPI.LONG, (rank + 1) % size, 1L, (long) COUNT, MPI.LONG);
        win.fence(0);
        int from = (rank + size - 1) % size;
        for (int i = 0; i < COUNT; i++) {
            check(memory.get(1 + i) == 1_000_000L * from + i, comm, "put");
        }
        win.fence(MPI.MODE_NOSUCCEED);
        LongBuffer one = MPI.newLongBuffer(1).put(0, 1);
        LongBuffer before = MPI.newLongBuffer(1);
        for (int i = 0; i < 50; i++) {
            win.lock(i % 2 == 0 ? MPI.LOCK_SHARED : MPI.LOCK_EXCLUSIVE, 0, 0);
            win.fetchAndOp(one, before, MPI.LONG, 0, 0, MPI.SUM);
            win.unlock(0);
        }
        try {
            win.put(one, 1, MPI.LONG, 0, 0, 1, MPI.LONG);
            check(false, comm, "access outside of an epoch");
        } catch (MPIException e) {
            check(e.getErrorClass() == MPI.ERR_RMA_SYNC, comm, "error class " + e.getErrorClass());
        }
        comm.barrier();
        check(rank != 0 || memory.get(0) == 50L * size, comm, "sum " + memory.get(0));
        win.free();
    }

    /** Ranks of a host write to the memory of all as to their own. */
    private static void shared(Intracomm comm) throws MPIException {
        Intracomm near = comm.splitType(Comm.TYPE_SHARED, 0, new Info());
        int size = near.getSize();
        Win win = new Win(8 * size, 1, new Info(), near, null, Win.FLAVOR_SHARED);
        for (int r = 0; r < size; r++) {
            win.sharedQuery(r).set(ValueLayout.JAVA_LONG, 8L * near.getRank(), 100 + near.getRank());
        }
        near.barrier();
        for (int r = 0; r < size; r++) {
            check(win.getMemory().get(ValueLayout.JAVA_LONG, 8L * r) == 100 + r, comm, "shared memory");
        }
        near.barrier();
        win.free();
    }

    private static void file(Intracomm comm, String name) throws MPIException {
        int rank = comm.getRank();
        int size = comm.getSize();
        try {
            new File(comm, name, rank == 0 ? 0 : MPI.MODE_RDWR);
            check(false, comm, "bad mode");
        } catch (MPIException e) {
            check(e.getErrorClass() == MPI.ERR_AMODE, comm, "error class " + e.getErrorClass());
        }
        File file = new File(comm, name, MPI.MODE_RDWR | MPI.MODE_CREATE | MPI.MODE_DELETE_ON_CLOSE);
        Datatype every = Datatype.createResized(MPI.INT, 0, 4 * size);
        every.commit();
        file.setView(4L * rank, MPI.INT, every, "native");
        int[] data = IntStream.range(0, COUNT).map(i -> i * size + rank).toArray();
        file.writeAll(data, COUNT, MPI.INT);
        file.setView(0, MPI.INT, MPI.INT, "native");
        IntBuffer all = MPI.newIntBuffer(COUNT * size);
        check(file.readAtAll(0, all, COUNT * size, MPI.INT).getCount(MPI.INT) == COUNT * size, comm, "count");
        for (int i = 0; i < COUNT * size; i++) {
            check(all.get(i) == i, comm, "number " + i);
        }
        file.setSize(0);
        file.setAtomicity(true);
        for (int i = 0; i < 20; i++) {
            file.writeShared(new int[] {rank}, 1, MPI.INT);
        }
        comm.barrier();
        check(file.getPositionShared() == 20 * size && file.getSize() == 80L * size, comm, "shared pointer");
        file.close();
    }

    private static void epochs() throws MPIException {
        int other = 1 - MPI.COMM_WORLD.getRank();
        Win win = new Win(MPI.newByteBuffer(1 << 20), 1 << 20, 1, new Info(), MPI.COMM_WORLD);
        byte[] data = new byte[1 << 20];
        while (true) {
            win.lock(MPI.LOCK_EXCLUSIVE, other, 0);
            win.put((Object) data, (long) data.length, MPI.BYTE, other, 0L, (long) data.length, MPI.BYTE);
            win.accumulate((Object) data, 1_000L, MPI.BYTE, other, 0L, 1_000L, MPI.BYTE, MPI.BOR);
            win.unlock(other);
            win.lock(MPI.LOCK_SHARED, 0, 0);
            win.unlock(0);
        }
    }

    private static void writes(String name) throws MPIException {
        File file = new File(MPI.COMM_WORLD, name, MPI.MODE_RDWR | MPI.MODE_CREATE);
        Datatype every = Datatype.createResized(MPI.LONG, 0, 8 * MPI.COMM_WORLD.getSize());
        every.commit();
        file.setView(8L * MPI.COMM_WORLD.getRank(), MPI.LONG, every, "native");
        file.setAtomicity(true);
        long[] confirmed = new long[1_000];
        Arrays.fill(confirmed, 7);
        file.writeAt(COUNT, confirmed, confirmed.length, MPI.LONG);
        file.sync();
        MPI.COMM_WORLD.barrier();
        long[] data = new long[COUNT];
        data[0] = 1; // says that all ranks' data is confirmed
        for (int i = 0; true; i++) {
            file.writeAt(0, data, 100, MPI.LONG);
            file.setAtomicity(i % 2 == 0);
            file.writeAtAll(0, data, COUNT, MPI.LONG);
            file.readAtAll(0, data, COUNT, MPI.LONG);
        }
    }
}
