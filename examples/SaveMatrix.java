import java.nio.DoubleBuffer;
import mpi.Datatype;
import mpi.File;
import mpi.MPI;
import mpi.MPIException;

/**
 * Saves a matrix to a file and goes on from there: each rank has some columns, which are not together in a file with a row after the other. The
 * ranks write them by one collective call, to a file of another name that is renamed when all of it is on the disk. Run again, the program reads the
 * matrix, with any number of ranks. With 0 steps it deletes the file.
 *
 * <p>Run it with {@code ./tutti run -n 3 examples/SaveMatrix.java FILE STEPS}; all nodes must have the same file.
 */
public final class SaveMatrix {
    private static final int ROWS = 600;
    private static final int COLUMNS = 1_000;
    /** Bytes before the matrix: the number of the step. */
    private static final int HEADER = 8;

    private final String name;
    private final int first;
    private final int columns;
    private final DoubleBuffer matrix;
    private long step;
    private int computed;

    private SaveMatrix(final String name) throws MPIException {
        final int rank = MPI.COMM_WORLD.getRank();
        final int size = MPI.COMM_WORLD.getSize();
        this.name = name;
        this.first = rank * COLUMNS / size;
        this.columns = (rank + 1) * COLUMNS / size - first;
        this.matrix = MPI.newDoubleBuffer(ROWS * columns);
    }

    /** Runs the program; its arguments are the file and the number of steps. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        if (args.length != 2) {
            System.err.println("two arguments are needed: a file, and a number of steps");
            System.exit(2);
        }
        final SaveMatrix program = new SaveMatrix(args[0]);
        if (!program.read()) {
            for (int i = 0; i < ROWS * program.columns; i++) {
                final int row = i / program.columns;
                program.matrix.put(i, row);
            }
        }
        while (program.computed < Integer.parseInt(args[1])) {
            program.compute();
        }
        if (program.computed > 0) {
            program.write();
        } else if (MPI.COMM_WORLD.getRank() == 0) {
            File.delete(program.name);
        }
        program.print();
        MPI.Finalize();
    }

    /** Sets the view of the rank's columns. */
    private void setView(final File file) throws MPIException {
        final Datatype mine = Datatype.createVector(ROWS, columns, COLUMNS, MPI.DOUBLE);
        mine.commit();
        file.setView(HEADER + 8L * first, MPI.DOUBLE, mine, "native");
        mine.free();
    }

    /** Reads the matrix; returns false if there is no file. */
    private boolean read() throws MPIException {
        final File file;
        try {
            file = new File(MPI.COMM_WORLD, name, MPI.MODE_RDONLY);
        } catch (final MPIException e) {
            if (e.getErrorClass() == MPI.ERR_NO_SUCH_FILE) {
                return false;
            }
            throw e;
        }
        final long[] saved = {0};
        file.readAtAll(0, saved, HEADER, MPI.BYTE);
        step = saved[0];
        setView(file);
        file.readAll(matrix, ROWS * columns, MPI.DOUBLE);
        file.close();
        return true;
    }

    private void compute() {
        for (int i = 0; i < ROWS * columns; i++) {
            matrix.put(i, matrix.get(i) + 1);
        }
        step++;
        computed++;
    }

    private void write() throws MPIException {
        final String other = name + ".new";
        final File file = new File(MPI.COMM_WORLD, other, MPI.MODE_WRONLY | MPI.MODE_CREATE);
        file.writeAtAll(0, new long[] {step}, MPI.COMM_WORLD.getRank() == 0 ? 1 : 0, MPI.LONG);
        setView(file);
        file.writeAll(matrix, ROWS * columns, MPI.DOUBLE);
        file.close();
        if (MPI.COMM_WORLD.getRank() == 0 && !new java.io.File(other).renameTo(new java.io.File(name))) {
            throw new IllegalStateException("cannot rename " + other);
        }
        MPI.COMM_WORLD.barrier();
    }

    private void print() throws MPIException {
        double own = 0;
        for (int i = 0; i < ROWS * columns; i++) {
            own += matrix.get(i);
        }
        final double[] sum = {own};
        MPI.COMM_WORLD.allReduce(sum, 1, MPI.DOUBLE, MPI.SUM);
        if (MPI.COMM_WORLD.getRank() == 0) {
            System.out.printf("after %d steps the sum is %.0f%n", step, sum[0]);
        }
    }
}
