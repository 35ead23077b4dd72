package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import mpi.Datatype;
import mpi.File;
import mpi.Info;
import mpi.MPI;
import mpi.MPIException;
import mpi.Win;
import org.junit.jupiter.api.function.Executable;
import tutti.checkpoint.Checkpoint;

/** One rank that saves objects; in a job that continues from the checkpoint, they are registered as others at first, which is refused. */
public final class SavedObjects {
    private static final int BYTES = 4 * 5;

    private SavedObjects() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final Checkpoint checkpoint = Checkpoint.of(MPI.COMM_WORLD);
        refused(MPI.ERR_ARG, "no array of a primitive type: name=list, object=java.util.ArrayList; register objects with value or state",
            () -> checkpoint.array("list", new ArrayList<>()));
        refused(MPI.ERR_ARG, "nothing is registered under the name: name=list", () -> checkpoint.remove("list"));
        final int[] array = new int[5];
        if (checkpoint.isRestart()) {
            refused(MPI.ERR_ARG, "the state had another length when it was saved: name=array, saved=" + BYTES + ", now=" + (BYTES + 4),
                () -> checkpoint.array("array", new int[6]));
            refused(MPI.ERR_ARG, "the state was saved as int[], and is restored as float[]: name=array",
                () -> checkpoint.array("array", new float[5]));
            refused(MPI.ERR_ARG, "another object was saved: name=type, saved=", () -> checkpoint.type("type", () -> Datatype.createContiguous(4,
                MPI.INT)));
            refused(MPI.ERR_OTHER, "the state cannot be restored: name=state: no state of this program",
                () -> checkpoint.state("state", out -> {}, in -> {
                    throw new IOException("no state of this program");
                }));
        } else {
            array[4] = 7;
        }
        checkpoint.array("array", array);
        checkpoint.type("type", () -> Datatype.createContiguous(3, MPI.INT));
        checkpoint.state("state", out -> out.writeInt(9), in -> assertEquals(9, in.readInt()));
        assertArrayEquals(new int[] {0, 0, 0, 0, 7}, array);
        saveWindowAndFile(checkpoint, args[0]);
        MPI.Finalize();
    }

    /** A window and a file are created again: the memory that was registered is restored, and the file has what was written after the checkpoint. */
    private static void saveWindowAndFile(final Checkpoint checkpoint, final String path) throws MPIException {
        final Win win = new Win(8, 1, new Info(), MPI.COMM_WORLD, null, Win.FLAVOR_PRIVATE);
        final File file = new File(MPI.COMM_WORLD, path, MPI.MODE_RDWR | MPI.MODE_CREATE);
        final long[] pointer = {0};
        checkpoint.buffer("window", win.getBuffer());
        checkpoint.array("pointer", pointer);
        assertEquals(0, file.getPosition());
        assertEquals(checkpoint.isRestart() ? 5 : 0, file.getSize());
        assertEquals(checkpoint.isRestart() ? 9 : 0, win.getBuffer().get(7));
        file.seek(pointer[0], MPI.SEEK_SET);
        win.lock(MPI.LOCK_EXCLUSIVE, 0, 0);
        win.put(new byte[] {9}, 1, MPI.BYTE, 0, 7, 1, MPI.BYTE);
        win.unlock(0);
        file.write(new byte[] {1, 2, 3}, 3, MPI.BYTE);
        pointer[0] = file.getPosition();
        assertTrue(Checkpoint.force(MPI.COMM_WORLD));
        file.write(new byte[] {4, 5}, 2, MPI.BYTE);
        win.free();
        file.close();
    }

    private static void refused(final int errorClass, final String message, final Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertTrue(e.getMessage().startsWith(message), e.getMessage());
        assertEquals(errorClass, e.getErrorClass(), message);
    }
}
