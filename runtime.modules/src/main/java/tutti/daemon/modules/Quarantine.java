package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;
import tutti.runtime.module.QuarantinedModule;

/**
 * The modules in quarantine that this node knows of, kept in a file over restarts. Of two records of a module the later one holds, so nodes may
 * exchange their records at any time and in any order. Safe for any thread.
 */
public final class Quarantine {
    private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);
    private static final String FILE = "quarantine.json";
    private static final String NEXT = "quarantine.json.next";
    /** Most records; of more, the oldest are forgotten. */
    private static final int MAX = 256;
    private static final int MAX_REASON = 500;
    /** Reason of the quarantine of a module that running jobs try. */
    public static final String ON_TRIAL = "running jobs try it";

    private final Path folder;
    private final NodeModules registry;
    private final Map<ModuleId, QuarantinedModule> records = new TreeMap<>();
    private volatile Listener listener = changed -> {
        // nobody listens yet
    };

    /** Listener of records that change on this node. */
    @FunctionalInterface
    public interface Listener {
        /** Notifies of changed records, on the thread that changes them. Must not block. */
        void changed(List<QuarantinedModule> records);
    }

    /** Reads the records of a folder; a file that cannot be understood counts as empty, and is replaced. */
    public Quarantine(final Path folder, final NodeModules registry) {
        this.folder = folder;
        this.registry = registry;
        final Path file = folder.resolve(FILE);
        if (Files.exists(file)) {
            try {
                for (final QuarantinedModule q : MessageCodec.read(Files.readAllBytes(file), QuarantinedModule[].class)) {
                    records.put(q.module(), q);
                }
            } catch (final IOException | RuntimeException e) {
                // Cause: the node was killed while its disk was full.
                LOG.error("list of modules in quarantine is damaged and begins anew; other nodes send theirs: file={}, reason={}", file,
                    Protocol.oneLine(e));
            }
        }
    }

    /** Tells the node's modules which of them are in quarantine. */
    synchronized void publish() {
        registry.setQuarantine(List.copyOf(records.values()));
    }

    /** Returns whether a file of the store's folder holds the records. */
    static boolean isFile(final Path file) {
        return file.endsWith(FILE);
    }

    /** Sets the listener of records that change on this node. */
    public void listen(final Listener next) {
        listener = next;
    }

    /** Returns all records, those of lifted quarantines included. */
    public synchronized List<QuarantinedModule> records() {
        return List.copyOf(records.values());
    }

    /** Returns why a module is in quarantine; null when it is not. */
    public synchronized @Nullable String reason(final ModuleId module) {
        final QuarantinedModule q = records.get(module);
        return q == null || !q.isActive() ? null : q.reason();
    }

    /** Puts a module in quarantine. The fallback module stays in use, since no job can do without it. */
    public void add(final ModuleId module, final String reason) {
        if (module.name().equals(ModuleStore.BASIC)) {
            // Cause: a proof failed of the module that no job can do without. Remedy: report it; jobs fail that need this plan.
            LOG.error("a plan of the fallback module {} is wrong: {}", module, reason);
        } else if (reason(module) == null) {
            merge(List.of(new QuarantinedModule(module, Protocol.shorten(reason, MAX_REASON), now(module))));
        }
    }

    /** Puts a module that was tried in quarantine for what was found. */
    public void refuse(final ModuleId module, final String reason) {
        merge(List.of(new QuarantinedModule(module, Protocol.shorten(reason, MAX_REASON), now(module))));
    }

    /** Ends the quarantine of a module that was tried without a verdict. */
    public void endTrial(final ModuleId module) {
        if (ON_TRIAL.equals(reason(module))) {
            lift(module);
        }
    }

    /** Lifts the quarantine of a module, if there is one. */
    void lift(final ModuleId module) {
        if (reason(module) != null) {
            merge(List.of(new QuarantinedModule(module, "", now(module))));
        }
    }

    /** Returns the time, later than that of an existing record. */
    private synchronized long now(final ModuleId module) {
        final QuarantinedModule q = records.get(module);
        return Math.max(System.currentTimeMillis(), q == null ? 0 : q.since() + 1);
    }

    /** Takes over the records of another node that are later than those of this one. */
    public void merge(final Collection<QuarantinedModule> others) {
        final List<QuarantinedModule> changed = new ArrayList<>();
        synchronized (this) {
            for (final QuarantinedModule q : others) {
                final QuarantinedModule known = records.get(q.module());
                if (known == null || known.since() < q.since()) {
                    records.put(q.module(), q);
                    changed.add(q);
                }
            }
            if (changed.isEmpty()) {
                return;
            }
            records.values().stream().sorted(Comparator.comparingLong(QuarantinedModule::since).reversed()).skip(MAX)
                .map(QuarantinedModule::module).toList().forEach(records::remove);
            write();
            publish();
        }
        for (final QuarantinedModule q : changed) {
            if (q.reason().equals(ON_TRIAL)) {
                LOG.info("module {} is on trial in running jobs; new jobs do not use it until the trial ends", q.module());
            } else if (q.isActive()) {
                // Cause: a plan of the module was [proved to be wrong](modules.md#what-is-proved-when-it-is-first-used). Remedy: install a corrected
                // version.
                LOG.error("module {} is in quarantine: {}; new jobs do not use it until it is installed in another version, or again with --force",
                    q.module(), q.reason());
            } else {
                LOG.info("quarantine of module {} is lifted", q.module());
            }
        }
        listener.changed(changed);
    }

    /** Writes the records. If that fails, this node has them until it stops, and other nodes longer. */
    private void write() {
        final Path next = folder.resolve(NEXT);
        try {
            StateFile.write(next, MessageCodec.pretty(records.values()));
            Files.move(next, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (final IOException e) {
            // Cause: the disk is full, or the folder is not the node's.
            LOG.error("list of modules in quarantine cannot be written: file={}, reason={}; make room, or correct its permissions",
                folder.resolve(FILE), Protocol.oneLine(e));
        }
    }
}
