package tutti.runtime.file;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The access mode of a file: a sum of the bits of {@code MPI.MODE_*}, which is valid.
 *
 * @param bits the sum
 */
record AccessMode(int bits) {
    private static final int CREATE = 1;
    private static final int RDONLY = 2;
    private static final int WRONLY = 4;
    private static final int RDWR = 8;
    private static final int DELETE_ON_CLOSE = 16;
    private static final int UNIQUE_OPEN = 32;
    private static final int EXCL = 64;
    private static final int APPEND = 128;
    private static final int SEQUENTIAL = 256;
    /** The names of the bits, from the lowest one. */
    private static final String[] NAMES = {"CREATE", "RDONLY", "WRONLY", "RDWR", "DELETE_ON_CLOSE", "UNIQUE_OPEN", "EXCL", "APPEND", "SEQUENTIAL"};
    private static final int ALL = CREATE | RDONLY | WRONLY | RDWR | DELETE_ON_CLOSE | UNIQUE_OPEN | EXCL | APPEND | SEQUENTIAL;

    /** Checks the mode. */
    AccessMode {
        if ((bits & ~ALL) != 0 || Integer.bitCount(bits & (RDONLY | WRONLY | RDWR)) != 1) {
            // Cause: a file is opened to read, to write, or for both. Remedy: one of these three, with other modes added.
            throw new MpiFailure(ErrorClass.AMODE, "access mode needs one of MODE_RDONLY, MODE_WRONLY and MODE_RDWR: mode=" + bits);
        }
        if ((bits & RDONLY) != 0 && (bits & (CREATE | EXCL)) != 0) {
            // Cause: a file that is created is written. Remedy: MODE_RDWR or MODE_WRONLY.
            throw new MpiFailure(ErrorClass.AMODE, "MODE_RDONLY cannot create a file: mode=" + bits + ", use it without MODE_CREATE and MODE_EXCL");
        }
        if ((bits & RDWR) != 0 && (bits & SEQUENTIAL) != 0) {
            // Cause: a file like a tape is read or written. Remedy: MODE_RDONLY or MODE_WRONLY.
            throw new MpiFailure(ErrorClass.AMODE, "MODE_SEQUENTIAL does not go with MODE_RDWR: mode=" + bits);
        }
    }

    /** Returns the names of its bits, for users. */
    String text() {
        return IntStream.range(0, NAMES.length).filter(i -> (bits >> i & 1) != 0).mapToObj(i -> NAMES[i]).collect(Collectors.joining("|"));
    }

    boolean creates() {
        return (bits & CREATE) != 0;
    }

    boolean mustCreate() {
        return (bits & EXCL) != 0;
    }

    boolean reads() {
        return (bits & WRONLY) == 0;
    }

    boolean writes() {
        return (bits & RDONLY) == 0;
    }

    boolean deletesOnClose() {
        return (bits & DELETE_ON_CLOSE) != 0;
    }

    boolean appends() {
        return (bits & APPEND) != 0;
    }

    boolean isSequential() {
        return (bits & SEQUENTIAL) != 0;
    }
}
