package tutti.runtime.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Communicator;
import tutti.runtime.exchange.CallExchange;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.locality.RankPlace;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * A file that all ranks of a communicator have opened: the first one creates it, the others open what is there then, and all compare it.
 *
 * @param file   the file, as this rank has it
 * @param mode   its access mode
 * @param nodeOf numbers of the nodes of the ranks, equal for ranks of one node
 * @param system the type of its file system
 */
record OpenedFile(DiskFile file, AccessMode mode, long[] nodeOf, String system) {
    private static final String UNKNOWN = "unknown";

    /** Numbers that a rank says of the file: what identifies it in its file system, the file system on its host, host and node. */
    private record Identity(long inode, long device, long host, long node) {
        private static final int FIELDS = 4;

        static Identity of(final Path path, final Communicator comm) {
            final String node = comm.context().owner().nodeName();
            final RankPlace place = comm.context().owner().job().placeOf(comm.context().owner().worldRank());
            return new Identity(attribute(path, "unix:ino"), attribute(path, "unix:dev"), place.host().hashCode(), hash(node));
        }

        private static long hash(final String text) {
            return (long) text.hashCode() << Integer.SIZE | text.length();
        }

        private static long attribute(final Path path, final String name) {
            try {
                return ((Number) Files.getAttribute(path, name)).longValue();
            } catch (final IOException | UnsupportedOperationException | IllegalArgumentException e) {
                return 0; // the system does not say
            }
        }

        long[] toNumbers() {
            return new long[] {inode, device, host, node};
        }

        static Identity of(final long[] all, final int rank) {
            return new Identity(all[rank * FIELDS], all[rank * FIELDS + 1], all[rank * FIELDS + 2], all[rank * FIELDS + 3]);
        }

        /** Returns whether it may be the same file. */
        boolean isSame(final Identity other) {
            return inode == other.inode && (host != other.host || device == other.device);
        }
    }

    /** Returns the path of a name. */
    static Path path(final @Nullable String name) {
        if (name == null || name.isEmpty()) {
            // Cause: no file is named. Remedy: a path.
            throw new MpiFailure(ErrorClass.BAD_FILE, "name of file is missing: name=" + name);
        }
        try {
            return Path.of(name).toAbsolutePath();
        } catch (final InvalidPathException e) {
            // Cause: the name is no path of the system. Remedy: a path.
            throw new MpiFailure(ErrorClass.BAD_FILE, "name of file cannot be used: " + e.getMessage(), e);
        }
    }

    /** Opens a file, together with all ranks. */
    static OpenedFile open(final Communicator comm, final @Nullable String name, final int amode) {
        final CallExchange exchange = new CallExchange(comm);
        final RankLifecycle lifecycle = comm.context().owner().lifecycle();
        AccessMode mode = null;
        Path path = null;
        MpiFailure problem = null;
        try {
            mode = new AccessMode(amode);
            path = path(name);
        } catch (final MpiFailure e) {
            problem = e;
        }
        exchange.checkSame(exchange.gather(problem, amode), 1, 0, "access mode");
        Objects.requireNonNull(mode, "no problem");
        Objects.requireNonNull(path, "no problem");
        Opening first = null;
        if (comm.rank() == 0) {
            try {
                first = Opening.create(path, lifecycle, mode);
            } catch (final MpiFailure e) {
                problem = e;
            }
        }
        exchange.agree(problem);
        DiskFile file = first == null ? null : first.file;
        boolean isOpen = false;
        try {
            if (file == null) {
                try {
                    file = DiskFile.open(path, lifecycle, mode, false);
                } catch (final MpiFailure e) {
                    problem = e;
                }
            }
            final long[] nodes = compare(exchange, path, problem);
            isOpen = true;
            return new OpenedFile(Objects.requireNonNull(file, "no problem"), mode, nodes, system(path));
        } finally {
            if (!isOpen && file != null) {
                file.close();
                if (first != null && first.isNew) {
                    DiskFile.delete(path);
                }
            }
        }
    }

    /** The file as the first rank has opened it, and whether it was not there before. */
    private record Opening(DiskFile file, boolean isNew) {
        static Opening create(final Path path, final RankLifecycle lifecycle, final AccessMode mode) {
            if (mode.creates()) {
                try {
                    return new Opening(DiskFile.open(path, lifecycle, mode, true), true);
                } catch (final MpiFailure e) {
                    if (e.errorClass() != ErrorClass.FILE_EXISTS || mode.mustCreate()) {
                        throw e;
                    }
                }
            }
            return new Opening(DiskFile.open(path, lifecycle, mode, false), false);
        }
    }

    /** Refuses a file that a rank cannot open, or that is another one on some node. Returns numbers of the nodes. */
    private static long[] compare(final CallExchange exchange, final Path path, final @Nullable MpiFailure problem) {
        final Communicator comm = exchange.comm();
        final boolean isElsewhere = problem != null && problem.errorClass() == ErrorClass.NO_SUCH_FILE;
        final Identity own = problem == null ? Identity.of(path, comm) : new Identity(-1, 0, 0, 0);
        final long[] all = exchange.gather(isElsewhere ? null : problem, own.toNumbers());
        final Identity first = Identity.of(all, 0);
        final long[] nodes = new long[comm.size()];
        boolean hasHosts = false;
        for (int r = 0; r < comm.size(); r++) {
            final Identity other = Identity.of(all, r);
            if (!first.isSame(other)) {
                throw another(exchange, path, r);
            }
            hasHosts |= other.host != first.host;
            nodes[r] = other.node;
        }
        if (hasHosts) {
            probe(exchange, path);
        }
        return nodes;
    }

    /** Refuses a file in a folder that is another one on some host, where the first rank may create files. */
    private static void probe(final CallExchange exchange, final Path path) {
        final Communicator comm = exchange.comm();
        final long number = exchange.ofFirst(System.nanoTime());
        final Path probe = path.resolveSibling("." + path.getFileName() + "." + Long.toHexString(number) + ".tutti");
        boolean isMade = false;
        try {
            if (comm.rank() == 0) {
                Files.createFile(probe);
                isMade = true;
            }
        } catch (final IOException e) {
            isMade = false; // the folder cannot be written: that the files have one number must do
        }
        final boolean isThere = exchange.ofFirst(isMade ? 1 : 0) == 0 || Files.exists(probe);
        final long[] all = exchange.gather(isThere ? 1 : 0);
        if (isMade) {
            try {
                Files.deleteIfExists(probe);
            } catch (final IOException e) {
                throw DiskFile.failure("open", probe, e);
            }
        }
        for (int r = 0; r < all.length; r++) {
            if (all[r] == 0) {
                throw another(exchange, path, r);
            }
        }
    }

    private static MpiFailure another(final CallExchange exchange, final Path path, final int rank) {
        // Cause: each node has a disk of its own, and the path is not on a shared one. Remedy: a path that is the same file on all nodes.
        return new MpiFailure(ErrorClass.NOT_SAME, "file is another one, or is missing, on node " + exchange.nodeName(rank) + ": file=" + path
            + ", rank 0 has it on node " + exchange.nodeName(0) + ", rank=" + rank + ", file system here=" + system(path)
            + "; use a path that all nodes share");
    }

    /** Returns the type of the file system of a path. */
    private static String system(final Path path) {
        try {
            return Files.getFileStore(path).type();
        } catch (final IOException | SecurityException e) {
            return UNKNOWN;
        }
    }
}
