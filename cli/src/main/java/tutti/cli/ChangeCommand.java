package tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tutti.daemon.channel.ProgramSender;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;

/** Base of the commands that change the modules of a cluster: {@code install}, {@code update}, {@code uninstall}, {@code rollback}. */
abstract class ChangeCommand implements Callable<Integer> {
    @Mixin
    private ConnectOption connect;

    @Option(names = "--node", paramLabel = "NAME", description = "change only this node; may be repeated")
    private List<String> nodes = new ArrayList<>();

    @Option(names = "--force", description = "change the nodes that are reached although most nodes of the last agreed view are not; "
        + "let a module replace one that offers more operations")
    private boolean force;

    final int change(final ModuleChange.Kind kind, final String name, final String version, final Path file, final boolean verify)
        throws IOException {
        if (file != null && !Files.isRegularFile(file)) {
            throw new CommandFailure(ExitStatus.USAGE, CommandFailure.notFound("file", file));
        }
        final String done = change(connect.contact(), kind, name, version, file, nodes, verify, force);
        if (!done.isEmpty()) {
            System.out.println(done);
        }
        return ExitStatus.OK;
    }

    /** Changes the modules of the cluster of a daemon; returns a text that says what was done. */
    static String change(final Contact cluster, final ModuleChange.Kind kind, final String name, final String version, final Path file,
        final List<String> nodes, final boolean verify, final boolean force) throws IOException {
        final ProgramFile described = file == null ? null : ProgramSender.describe(file);
        try (Client client = Client.connect(cluster)) {
            return client.change(new Message.Change(new ModuleChange(kind, name, version, described, nodes, verify, force), force), file);
        }
    }

    /** Base of the commands that install the bundle of a module. */
    abstract static class FileChange extends ChangeCommand {
        private final ModuleChange.Kind kind;

        @Parameters(index = "0", paramLabel = "FILE", description = "the module's bundle, a .jar")
        private Path file;

        @Option(names = "--no-verify", description = "install the module without verifying its plans")
        private boolean unverified;

        FileChange(final ModuleChange.Kind kind) {
            this.kind = kind;
        }

        @Override
        public final Integer call() throws Exception {
            return change(kind, null, null, file, !unverified);
        }
    }

    /** {@code tutti install}. */
    @Command(name = "install", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Installs a module on every node; jobs use it once all their nodes have it.")
    static final class Install extends FileChange {
        Install() {
            super(ModuleChange.Kind.INSTALL);
        }
    }

    /** {@code tutti update}. */
    @Command(name = "update", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Installs a module on every node and removes its other versions once no job uses them.")
    static final class Update extends FileChange {
        Update() {
            super(ModuleChange.Kind.UPDATE);
        }
    }

    /** {@code tutti uninstall}. */
    @Command(name = "uninstall", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Removes a module, or one version of it, from every node once no job uses it.")
    static final class Uninstall extends ChangeCommand {
        @Parameters(index = "0", paramLabel = "NAME[:VERSION]", description = "the module")
        private String module;

        @Override
        public Integer call() throws Exception {
            final int colon = module.indexOf(':');
            return colon < 0 ? change(ModuleChange.Kind.UNINSTALL, module, null, null, false)
                : change(ModuleChange.Kind.UNINSTALL, module.substring(0, colon), module.substring(colon + 1), null, false);
        }
    }

    /** {@code tutti rollback}. */
    @Command(name = "rollback", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Restores the version of a module from before the last change.")
    static final class Rollback extends ChangeCommand {
        @Parameters(index = "0", paramLabel = "NAME", description = "the module")
        private String module;

        @Override
        public Integer call() throws Exception {
            return change(ModuleChange.Kind.ROLLBACK, module, null, null, false);
        }
    }
}
