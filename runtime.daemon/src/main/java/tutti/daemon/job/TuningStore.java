package tutti.daemon.job;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.monitor.TuningRecord;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.module.ModuleId;

/**
 * What jobs of the cluster have found out while they tuned live calls, with which other jobs begin. There is a record for each class of calls and set
 * of modules; beyond a number of records, the one that was updated first is dropped.
 *
 * <p>With a file, the records survive the node: a line of JSON for each, in the order of their updates. A file that cannot be read begins anew, and
 * one that cannot be written costs no job. Safe for any thread.
 */
@Component(service = TuningStore.class)
public final class TuningStore {
    private static final Logger LOG = LoggerFactory.getLogger(TuningStore.class);
    private static final int LIMIT = 1_000;

    private final int limit;
    private final @Nullable Path file;
    /** The records, the latest last. Guarded by itself. */
    private final LinkedHashMap<Key, TuningRecord> records = new LinkedHashMap<>();
    /** Guards the file. */
    private final Object writing = new Object();
    /** Whether the file could not be used at the last attempt. Guarded by {@link #writing}. */
    private boolean isBroken;

    /** What the results of jobs must have in common to count together. */
    private record Key(CallTuning.CallClass calls, Set<ModuleId> modules) {
        static Key of(final TuningRecord record) {
            return new Key(record.tuning().callClass(), record.modules());
        }
    }

    /** Creates the store of a node, with what it had before. A node for one run has no file. */
    @Activate
    public TuningStore(@Reference(name = "node") final ListeningNode node) {
        this(LIMIT, node.settings().oneRun() ? null : node.settings().folder().resolve("tuning.jsonl"));
    }

    /**
     * Creates a store, with what the file has.
     *
     * @param limit most records
     * @param file  the file; null for none. Its folder may be missing
     */
    TuningStore(final int limit, final @Nullable Path file) {
        this.limit = limit;
        this.file = file;
        if (file != null && Files.exists(file)) {
            read(file);
        }
    }

    private void read(final Path from) {
        int bad = 0;
        try {
            for (final String line : new String(Files.readAllBytes(from), StandardCharsets.UTF_8).lines().toList()) {
                try {
                    keep(MessageCodec.read(line, TuningRecord.class));
                } catch (final IOException | RuntimeException e) {
                    LOG.debug("line of the tuning results cannot be read: {}", line, e);
                    bad++;
                }
            }
        } catch (final IOException e) {
            broken(from, e);
            return;
        }
        if (bad > 0) {
            // Cause: the file was damaged, or is of another version. Remedy: none is needed: jobs that tune their calls find it out again.
            LOG.warn("tuning results have lines that cannot be read, which are dropped: file={}, lines={}", from, bad);
        }
    }

    private void keep(final TuningRecord record) {
        final Key key = Key.of(record);
        records.remove(key);
        records.put(key, record);
        while (records.size() > limit) {
            records.pollFirstEntry();
        }
    }

    /**
     * Adds what a job has found out; does not write it. Results without an algorithm, and those of which no rule can be made, are left out.
     *
     * @return what was added
     */
    List<CallTuning> learn(final List<CallTuning> found) {
        final List<CallTuning> added = new ArrayList<>();
        synchronized (records) {
            for (final CallTuning t : found) {
                try {
                    final TuningRecord own = TuningRecord.of(t);
                    final TuningRecord before = records.get(Key.of(own));
                    keep(before == null ? own : before.then(t));
                    added.add(t);
                } catch (final RuntimeException e) {
                    LOG.debug("tuning result is not kept: {}", t, e);
                }
            }
        }
        return added;
    }

    /** Returns all records, the latest last. */
    List<TuningRecord> records() {
        synchronized (records) {
            return List.copyOf(records.values());
        }
    }

    /** Returns the records of communicators that a job of so many ranks and nodes may have, the latest last. */
    List<TuningRecord> of(final int ranks, final int nodes) {
        return records().stream().filter(r -> r.tuning().shape().ranks() <= ranks && r.tuning().shape().nodes() <= nodes).toList();
    }

    /** Writes the records into the file. Blocks. */
    void save() {
        final Path to = file;
        if (to == null) {
            return;
        }
        synchronized (writing) {
            final String text = records().stream().map(r -> MessageCodec.text(r) + "\n").collect(Collectors.joining());
            final Path next = to.resolveSibling(to.getFileName() + ".next");
            try {
                Files.createDirectories(Objects.requireNonNull(to.getParent(), "parent"));
                Files.writeString(next, text);
                Files.move(next, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                isBroken = false;
            } catch (final IOException e) {
                broken(to, e);
            }
        }
    }

    private void broken(final Path at, final IOException e) {
        synchronized (writing) {
            if (!isBroken) {
                isBroken = true;
                // Cause: the disk is full, or the folder is not the node's. Remedy: make room, or correct its permissions.
                LOG.warn("tuning results are kept in memory alone, their file cannot be used: file={}, reason={}", at, Protocol.oneLine(e));
            }
        }
    }
}
