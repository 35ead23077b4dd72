import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import mpi.Datatype;
import mpi.File;
import mpi.Info;
import mpi.MPI;
import mpi.MPIException;

/**
 * Measures access to a file by all ranks: records of each rank in turn, read and written by collective and by independent calls. The first rank
 * copies the file after that. Prints lines of words: operation, bytes of a record, MiB, MiB in a second.
 */
final class FileBench {
    private static final double MIB = 1 << 20;

    private final Path folder;
    private final int record;
    private final long bytes;
    private final ByteBuffer data;

    private FileBench(final Path folder, final int record, final long bytes) {
        this.folder = folder;
        this.record = record;
        this.bytes = bytes;
        this.data = ByteBuffer.allocateDirect((int) bytes);
    }

    public static void main(final String[] args) throws MPIException, IOException {
        MPI.Init(args);
        final int ranks = MPI.COMM_WORLD.getSize();
        final int record = Integer.parseInt(args[1]);
        final long mib = Long.parseLong(args[2]);
        final FileBench bench = new FileBench(Path.of(args[0]), record, (mib << 20) / ranks / record * record);
        for (int i = 0; i < Integer.parseInt(args[3]); i++) {
            bench.round();
        }
        MPI.Finalize();
    }

    /** A call whose time is measured. */
    private interface Step {
        void run() throws MPIException, IOException;
    }

    private void measure(final String name, final Step step) throws MPIException, IOException {
        MPI.COMM_WORLD.barrier();
        final long begin = System.nanoTime();
        step.run();
        MPI.COMM_WORLD.barrier();
        final double seconds = (System.nanoTime() - begin) / 1e9;
        if (MPI.COMM_WORLD.getRank() == 0) {
            final double all = bytes * (double) MPI.COMM_WORLD.getSize() / MIB;
            System.out.printf(Locale.ROOT, "%s %d %.0f %.0f%n", name, record, all, all / seconds);
        }
    }

    private void round() throws MPIException, IOException {
        final int rank = MPI.COMM_WORLD.getRank();
        final int ranks = MPI.COMM_WORLD.getSize();
        final Path path = folder.resolve("records");
        final Path copy = folder.resolve("copy");
        for (final boolean isCollective : new boolean[] {true, false}) {
            if (rank == 0) {
                Files.deleteIfExists(path);
            }
            MPI.COMM_WORLD.barrier();
            final File file = new File(MPI.COMM_WORLD, path.toString(), MPI.MODE_RDWR | MPI.MODE_CREATE);
            final Datatype mine = Datatype.createResized(Datatype.createContiguous(record, MPI.BYTE), 0, (long) record * ranks);
            mine.commit();
            file.setView((long) record * rank, MPI.BYTE, mine, "native");
            final int count = (int) bytes;
            for (int i = 0; i < count; i++) {
                data.put(i, (byte) (rank + i));
            }
            measure(isCollective ? "write_at_all" : "write_at", () -> {
                if (isCollective) {
                    file.writeAtAll(0, data, count, MPI.BYTE);
                } else {
                    file.writeAt(0, data, count, MPI.BYTE);
                }
            });
            measure(isCollective ? "read_at_all" : "read_at", () -> {
                if (isCollective) {
                    file.readAtAll(0, data, count, MPI.BYTE);
                } else {
                    file.readAt(0, data, count, MPI.BYTE);
                }
            });
            if (!isCollective) {
                final Info alone = new Info();
                alone.set("romio_ds_read", "disable");
                file.setInfo(alone);
                measure("read_at_blocks", () -> file.readAt(0, data, count, MPI.BYTE));
            }
            for (int i = 0; i < count; i += 4099) {
                if (data.get(i) != (byte) (rank + i)) {
                    throw new IllegalStateException("wrong byte at " + i);
                }
            }
            file.close();
        }
        for (final boolean isTransfer : new boolean[] {false, true}) {
            if (rank == 0) {
                Files.deleteIfExists(copy);
            }
            measure(isTransfer ? "transfer" : "copy", () -> {
                if (rank == 0) {
                    copy(path, copy, isTransfer);
                }
            });
        }
        if (rank == 0) {
            Files.delete(copy);
            Files.delete(path);
        }
    }

    private static void copy(final Path from, final Path to, final boolean isTransfer) throws IOException {
        try (FileChannel in = FileChannel.open(from); FileChannel out = FileChannel.open(to, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (isTransfer) {
                for (long at = 0; at < in.size();) {
                    at += in.transferTo(at, in.size() - at, out);
                }
                return;
            }
            final ByteBuffer piece = ByteBuffer.allocateDirect(4 << 20);
            while (in.read(piece.clear()) > 0) {
                piece.flip();
                while (piece.hasRemaining()) {
                    out.write(piece);
                }
            }
        }
    }
}
