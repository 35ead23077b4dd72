package tutti.daemon.checkpoints;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.protocol.Protocol;

/**
 * Folder with the checkpoints that a node keeps: those of its own ranks, and copies of those of other nodes. Safe for any thread.
 *
 * <pre>
 * checkpoints/SERIES/12        complete
 * checkpoints/SERIES/13.part   not complete here
 *     rank-5/state             what was saved, and the short items
 *     rank-5/0-3               item 0, block 3
 *     rank-6.new               being written
 *     rank-7.damaged           set aside
 * checkpoints/.removed-1       being removed
 * </pre>
 */
final class CheckpointFolder {
    /** End of the name of a rank's folder that is being written. */
    static final String NEW = ".new";
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointFolder.class);
    private static final String PART = ".part";
    private static final String DAMAGED = ".damaged";
    private static final String REMOVED = ".removed-";
    private static final String RANK = "rank-";
    private static final Pattern SERIES = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
    private static final Pattern NUMBER = Pattern.compile("([1-9][0-9]{0,8})(\\.part)?");
    private static final boolean HAS_FOLDERS_AS_FILES = File.separatorChar == '/';

    private final Path root;
    private final String node;
    private final Steps steps;
    private final AtomicLong removed = new AtomicLong(System.nanoTime());

    /** Called before each change of the disk. */
    @FunctionalInterface
    interface Steps {
        /** Throws an exception if the change must not be made. */
        void next() throws IOException;
    }

    /** Folder of a checkpoint. */
    private record Numbered(Path path, int number, boolean isComplete) {}

    CheckpointFolder(final Path root, final String node, final Steps steps) {
        this.root = root;
        this.node = node;
        this.steps = steps;
        for (final Path left : children(root)) {
            if (left.getFileName().toString().startsWith(REMOVED)) {
                TempFolders.delete(left);
            }
        }
    }

    String node() {
        return node;
    }

    /** Announces a change of the disk. */
    void change() throws IOException {
        steps.next();
    }

    /**
     * Checks the name of a series, which must be that of a file.
     *
     * @return the name
     */
    static String checkSeries(final String series) throws IOException {
        if (!SERIES.matcher(series).matches()) {
            throw new IOException("not a series of checkpoints: '" + Protocol.shorten(series, 128) + "', expected the id of a job; list them with: "
                + "tutti checkpoints");
        }
        return series;
    }

    private static int checkNumber(final int number) throws IOException {
        if (number < 1 || number > 999_999_999) {
            // Remedy: `tutti checkpoints`.
            throw new IOException("number of a checkpoint out of range: number=" + number + ", range=1..999999999");
        }
        return number;
    }

    static String rankName(final int rank) {
        return RANK + rank;
    }

    private Path series(final String series) throws IOException {
        return root.resolve(checkSeries(series));
    }

    private Path complete(final String series, final int number) throws IOException {
        return series(series).resolve(String.valueOf(checkNumber(number)));
    }

    private Path part(final String series, final int number) throws IOException {
        return series(series).resolve(checkNumber(number) + PART);
    }

    private static List<Path> children(final Path folder) {
        final List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder)) {
            found.forEach(all::add);
        } catch (final NoSuchFileException | NotDirectoryException e) {
            // removed meanwhile, or never made
        } catch (final IOException | DirectoryIteratorException e) {
            // Cause: the folder cannot be read; the stack follows. Remedy: correct its permissions.
            LOG.warn("folder {} of checkpoints cannot be read", folder, e);
        }
        all.sort(Comparator.naturalOrder());
        return all;
    }

    /** Returns the checkpoints of a series, the newest first. */
    private List<Numbered> numbers(final String series) throws IOException {
        final List<Numbered> all = new ArrayList<>();
        for (final Path p : children(series(series))) {
            final Matcher m = NUMBER.matcher(p.getFileName().toString());
            if (m.matches()) {
                all.add(new Numbered(p, Integer.parseInt(m.group(1)), m.group(2) == null));
            }
        }
        all.sort(Comparator.comparingInt(Numbered::number).reversed());
        return all;
    }

    static void force(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    static void forceFolder(final Path folder) throws IOException {
        if (HAS_FOLDERS_AS_FILES) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /** Creates a folder, and the ones that it is in. */
    private void create(final Path folder) throws IOException {
        final Path parent = folder.getParent();
        if (Files.isDirectory(folder) || parent == null) {
            return;
        }
        if (!folder.equals(root)) {
            create(parent);
        } else {
            Files.createDirectories(parent);
        }
        change();
        try {
            Files.createDirectory(folder);
        } catch (final FileAlreadyExistsException e) {
            return;
        }
        forceFolder(parent);
    }

    /** Removes a folder: at once from where it is found, then from the disk. */
    void remove(final Path folder) throws IOException {
        if (Files.exists(folder)) {
            change();
            final Path away = root.resolve(REMOVED + removed.incrementAndGet());
            try {
                Files.move(folder, away, StandardCopyOption.ATOMIC_MOVE);
            } catch (final NoSuchFileException e) {
                return;
            }
            // what a crash leaves is removed when the node starts
            change();
            TempFolders.delete(away);
        }
    }

    /** Removes a folder; what cannot be removed remains. */
    void tryRemove(final Path folder) {
        try {
            remove(folder);
        } catch (final IOException e) {
            // Cause: the folder is no longer the node's. Remedy: correct its permissions.
            LOG.warn("files of a checkpoint cannot be removed: folder={}, reason={}", folder, Protocol.oneLine(e));
        }
    }

    /** Gives a folder that is on the disk the name of another one, in place of that. */
    synchronized void replace(final Path made, final Path named) throws IOException {
        remove(named);
        change();
        Files.move(made, named, StandardCopyOption.ATOMIC_MOVE);
        forceFolder(parent(named));
    }

    private static Path parent(final Path path) {
        return Objects.requireNonNull(path.getParent(), "parent of a checkpoint");
    }

    /**
     * Creates the writer of a rank of a checkpoint that is not complete.
     *
     * @throws IOException when the disk refuses
     */
    RankWriter write(final String series, final int number, final int rank) throws IOException {
        return writer(part(series, number), rank, newest(series, rank));
    }

    /** Creates the writer of a rank of a checkpoint that is complete on another node. */
    RankWriter restore(final String series, final int number, final int rank) throws IOException {
        return writer(complete(series, number), rank, null);
    }

    private RankWriter writer(final Path folder, final int rank, final @Nullable StoredFiles base) throws IOException {
        try {
            create(folder);
            return new RankWriter(this, folder, rank, base);
        } catch (final IOException e) {
            throw notWritten(rank, folder, e);
        }
    }

    /** Returns the failure to write a file of a rank. */
    IOException notWritten(final int rank, final Path file, final IOException cause) {
        // Cause: the disk is full, or the folder is not the node's. Remedy: make room; the job goes on.
        return new IOException("checkpoint cannot be written: node=" + node + ", rank=" + rank + ", file=" + file + ": " + Protocol.oneLine(cause),
            cause);
    }

    /** Returns a rank's files at the newest complete checkpoint; null if there are none that can be read. */
    private @Nullable StoredFiles newest(final String series, final int rank) throws IOException {
        for (final Numbered n : numbers(series)) {
            if (n.isComplete()) {
                try {
                    return StoredFiles.open(n.path().resolve(rankName(rank)), node);
                } catch (final IOException e) {
                    LOG.debug("no older checkpoint in {}", n.path(), e);
                }
            }
        }
        return null;
    }

    /** Returns the folder of a rank of a checkpoint, which need not be complete here; null if there is none. It may be damaged. */
    @Nullable
    Path find(final String series, final int number, final int rank, final String job, final long point) throws IOException {
        for (final Path folder : List.of(complete(series, number), part(series, number), complete(series, number))) {
            final RankState.Header header = header(folder.resolve(rankName(rank)));
            if (header != null && header.job().equals(job) && header.point() == point) {
                return folder.resolve(rankName(rank));
            }
        }
        return null;
    }

    /** Returns the ranks of a checkpoint whose states are here; it need not be complete here. */
    List<Integer> ranks(final String series, final int number, final String job, final long point) throws IOException {
        return Stream.of(complete(series, number), part(series, number)).flatMap(CheckpointFolder::ranks)
            .filter(h -> h.job().equals(job) && h.point() == point).map(RankState.Header::rank).distinct().toList();
    }

    /** Returns the header of the state in the folder of a rank; null if it is none, or cannot be read. */
    private static RankState.@Nullable Header header(final Path rankFolder) {
        try {
            final RankState.Header header = RankState.header(rankFolder.resolve(StoredFiles.STATE));
            return rankFolder.endsWith(rankName(header.rank())) ? header : null;
        } catch (final IOException | RuntimeException e) {
            LOG.debug("state in {} cannot be read", rankFolder, e);
            return null;
        }
    }

    /** Moves a damaged rank aside, in place of an earlier one. */
    void setAside(final Path rankFolder) throws IOException {
        replace(rankFolder, rankFolder.resolveSibling(rankFolder.getFileName() + DAMAGED));
    }

    /** Completes a checkpoint; does nothing when it is complete. */
    synchronized void complete(final String series, final int number, final String job) throws IOException {
        final Path made = part(series, number);
        final Path named = complete(series, number);
        if (Files.isDirectory(made)) {
            try {
                removeOthers(made, job);
                replace(made, named);
            } catch (final IOException e) {
                // Cause: the disk is full, or the folder is not the node's. Remedy: make room; the job goes on.
                throw new IOException("checkpoint cannot be completed: node=" + node + ", file=" + named + ": " + Protocol.oneLine(e), e);
            }
        } else if (ranks(named).noneMatch(h -> h.job().equals(job))) {
            throw new IOException("checkpoint cannot be completed: node=" + node + ", file=" + made + ": it is missing");
        }
    }

    /** Removes ranks that a crashed job left under the number of a checkpoint, and what is not whole. */
    private void removeOthers(final Path numbered, final String job) throws IOException {
        for (final Path p : children(numbered)) {
            final RankState.Header header = header(p);
            if (header == null || !header.job().equals(job)) {
                remove(p);
            }
        }
    }

    private static Stream<RankState.Header> ranks(final Path numbered) {
        return children(numbered).stream().map(CheckpointFolder::header).filter(Objects::nonNull).map(Objects::requireNonNull);
    }

    /** Removes ranks of a checkpoint that is not complete. */
    synchronized void discard(final String series, final int number, final Collection<Integer> ranks) throws IOException {
        final Path made = part(series, number);
        for (final int rank : ranks) {
            remove(made.resolve(rankName(rank)));
            remove(made.resolve(rankName(rank) + NEW));
        }
        if (Files.isDirectory(made) && children(made).isEmpty()) {
            remove(made);
        }
    }

    /** Removes all checkpoints of a series that are older than one. */
    synchronized void removeOlder(final String series, final int number) throws IOException {
        for (final Numbered n : numbers(series)) {
            if (n.number() < number) {
                remove(n.path());
            }
        }
    }

    /** Prepares a series that is continued: completes the checkpoint if it is complete elsewhere, and removes those that are not. */
    synchronized void resume(final Restart from) throws IOException {
        for (final Numbered n : numbers(from.series())) {
            if (!n.isComplete()) {
                if (n.number() == from.number() && isOf(n.path(), from)) {
                    final Path named = complete(from.series(), from.number());
                    if (!isOf(named, from)) {
                        replace(n.path(), named);
                    }
                } else {
                    remove(n.path());
                }
            }
        }
    }

    private static boolean isOf(final Path numbered, final Restart from) {
        return ranks(numbered).anyMatch(h -> h.job().equals(from.job()) && h.point() == from.point());
    }

    /** Removes a series. */
    void removeSeries(final String series) throws IOException {
        remove(series(series));
    }

    /** Returns what this node holds, with the jobs that use it. */
    List<HeldCheckpoint> list(final SeriesUse.Registry uses) {
        final List<HeldCheckpoint> all = new ArrayList<>();
        for (final Path p : children(root)) {
            final String series = p.getFileName().toString();
            if (SERIES.matcher(series).matches()) {
                try {
                    for (final Numbered n : numbers(series)) {
                        list(series, n, uses.user(series), all);
                    }
                } catch (final IOException e) {
                    // Cause: the folder cannot be read; the stack follows. Remedy: correct its permissions.
                    LOG.warn("checkpoints of series {} cannot be listed", series, e);
                }
            }
        }
        return all;
    }

    private void list(final String series, final Numbered n, final @Nullable String user, final List<HeldCheckpoint> all) {
        final Map<HeldCheckpoint.Key,
            List<RankState.Header>> held = ranks(n.path()).filter(h -> h.number() == n.number() && h.series().equals(series))
                .collect(Collectors.groupingBy(h -> new HeldCheckpoint.Key(series, n.number(), h.job(), h.generation(), h.point(), h.ranks()),
                    LinkedHashMap::new, Collectors.toList()));
        held.forEach((key, headers) -> all.add(new HeldCheckpoint(node, series, n.number(), key.job(), key.generation(), key.point(), n.isComplete(),
            key.ranks(), headers.stream().map(RankState.Header::rank).sorted().toList(), headers.stream().mapToLong(RankState.Header::bytes).sum(),
            headers.stream().mapToLong(RankState.Header::time).max().orElse(0),
            headers.stream().flatMap(h -> h.keepers().stream()).distinct().sorted().toList(), user)));
    }
}
