package tutti.web;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Reply;

/** Changes of modules that the page requests, as the commands make them. Thread-safe. */
final class ModuleChanges {
    private static final Logger LOG = LoggerFactory.getLogger(ModuleChanges.class);
    private static final Pattern FILE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+-]{0,150}\\.jar");

    private final ClusterView cluster;

    /**
     * A change of a module that the nodes have.
     *
     * @param module  name of the module
     * @param version version to uninstall; null for all, and where the module is rolled back
     * @param nodes   names of the nodes to change; null or empty for all
     * @param force   whether the change is made in a part of the cluster that is no majority
     */
    record Named(String module, @Nullable String version, @Nullable List<String> nodes, boolean force) {
        /** Checks that the module is named. */
        Named {
            Objects.requireNonNull(module, "module is missing");
        }
    }

    /**
     * Result of a change.
     *
     * @param text as the command prints it
     */
    record Done(String text) {}

    ModuleChanges(final ClusterView cluster) {
        this.cluster = cluster;
    }

    Done install(final PageExchange exchange) throws IOException, InterruptedException, PageRefusal {
        return file(ModuleChange.Kind.INSTALL, exchange);
    }

    Done update(final PageExchange exchange) throws IOException, InterruptedException, PageRefusal {
        return file(ModuleChange.Kind.UPDATE, exchange);
    }

    Done rollBack(final Named module) throws InterruptedException, PageRefusal {
        if (module.version() != null) {
            throw new PageRefusal(HttpStatus.BAD_REQUEST, "a module is rolled back to the version before the last change: leave out version="
                + module.version());
        }
        return named(ModuleChange.Kind.ROLLBACK, module);
    }

    Done uninstall(final Named module) throws InterruptedException, PageRefusal {
        return named(ModuleChange.Kind.UNINSTALL, module);
    }

    private Done named(final ModuleChange.Kind kind, final Named module) throws InterruptedException, PageRefusal {
        final List<String> nodes = module.nodes() == null ? List.of() : module.nodes();
        return change(new ModuleChange(kind, module.module(), module.version(), null, nodes, false, module.force()), module.force(), null);
    }

    private Done file(final ModuleChange.Kind kind, final PageExchange exchange) throws IOException, InterruptedException, PageRefusal {
        final List<String> names = exchange.parameters("file");
        if (names.size() != 1 || !FILE.matcher(names.getFirst()).matches()) {
            throw new PageRefusal(HttpStatus.BAD_REQUEST,
                "not the name of a jar: file=" + String.join(",", names) + ", expected one such as module-1.0.0.jar");
        }
        final boolean isVerified = exchange.flag("verify", true);
        final boolean isForced = exchange.flag("force", false);
        final Path folder = TempFolders.create("page");
        try {
            final Path file = folder.resolve(names.getFirst());
            exchange.store(file);
            return change(new ModuleChange(kind, null, null, ProgramFiles.describe(file), exchange.parameters("node"), isVerified, isForced),
                isForced, file);
        } finally {
            TempFolders.delete(folder);
        }
    }

    private Done change(final ModuleChange change, final boolean force, final @Nullable Path file) throws InterruptedException, PageRefusal {
        final Reply reply = cluster.change(change, force, file);
        LOG.info("the page changes modules: kind={}, module={}, nodes={}, status={}, result={}", change.kind(),
            change.file() == null ? change.name() : change.file().name(), change.nodes(), reply.status(), reply.text());
        if (reply.status() != ExitStatus.OK) {
            throw new PageRefusal(HttpStatus.CONFLICT, reply.text());
        }
        return new Done(reply.text());
    }
}
