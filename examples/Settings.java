import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import mpi.MPI;
import mpi.MPIException;

/**
 * What a rank finds around it: a variable that the command set, and a file that the command sent to every node.
 *
 * <p>Run it with {@code ./tutti run -n 3 -x GREETING=hello --file README.md examples/Settings.java README.md}.
 */
public final class Settings {
    private Settings() {}

    /** Runs the program; the argument is the file, as the command names it. */
    public static void main(final String[] args) throws MPIException, IOException {
        MPI.Init(args);
        final Path name = Path.of(args[0]).getFileName();
        final Path file = Path.of(System.getenv("TUTTI_FILES")).resolve(name);
        final long[] bytes = {Files.size(file)};
        final long[] least = new long[1];
        MPI.COMM_WORLD.allReduce(bytes, least, 1, MPI.LONG, MPI.MIN);
        System.out.printf("rank %d: %s, %s is complete: %b%n", MPI.COMM_WORLD.getRank(), System.getenv("GREETING"), name,
            least[0] == bytes[0] && bytes[0] > 0);
        MPI.Finalize();
    }
}
