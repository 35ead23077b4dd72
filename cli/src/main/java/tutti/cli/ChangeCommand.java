package tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.monitor.ChangedModules;
import tutti.daemon.monitor.LiveChange;
import tutti.daemon.monitor.ModuleTrial;
import tutti.daemon.node.ExitStatus;
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

    @Option(names = "--live", description = "have running jobs take the change, too, as far as they were started with -p coll.live=follow")
    private boolean live;

    @Option(names = "--job", paramLabel = "JOB", description = "with --live: only this job, whose id tutti ps shows")
    private @Nullable String job;

    @Spec
    private CommandSpec spec;

    final int change(final ModuleChange.Kind kind, final @Nullable String name, final @Nullable String version, final @Nullable Path file,
        final boolean verify) throws IOException {
        if (file != null) {
            check(file);
        }
        checkJob();
        if (live) {
            return changeLive(kind, name, version, file, verify);
        }
        final String done = change(connect.contact(), kind, name, version, file, nodes, verify, force);
        if (!done.isEmpty()) {
            System.out.println(done);
        }
        return ExitStatus.OK;
    }

    final void checkJob() {
        if (job != null && !live) {
            throw new ParameterException(spec.commandLine(), "--job needs --live: --job " + job);
        }
    }

    /** Checks the options of a trial. */
    final void checkTrial() {
        if (!live || !nodes.isEmpty()) {
            throw new ParameterException(spec.commandLine(), live ? "--canary changes all nodes: --node " + String.join(",", nodes)
                : "--canary needs --live");
        }
    }

    /** Has running jobs try a module; returns whether it has replaced the version before, as a status. */
    final int tryOut(final Path file, final double share, final double budget, final boolean verify) throws IOException {
        final ModuleTrial done;
        try (Client client = Client.connect(connect.contact())) {
            final ProgramFile described = ProgramFiles.describe(file);
            done = client.ask(daemon -> daemon.tryLive(described, share, budget, verify, force, job == null ? "" : job, Files.newInputStream(file)));
        }
        System.out.print(done.text());
        return done.outcome() == ModuleTrial.Outcome.PROMOTED ? ExitStatus.OK : ExitStatus.FAILED;
    }

    /** Changes the modules of the cluster and of running jobs; returns whether all jobs have taken them that were to, as a status. */
    private int changeLive(final ModuleChange.Kind kind, final @Nullable String name, final @Nullable String version, final @Nullable Path file,
        final boolean verify) throws IOException {
        final ProgramFile described = file == null ? null : ProgramFiles.describe(file);
        final ChangedModules done;
        try (Client client = Client.connect(connect.contact())) {
            done = client.ask(daemon -> daemon.changeLive(new ModuleChange(kind, name, version, described, nodes, verify, force), force,
                job == null ? "" : job, file == null ? InputStream.nullInputStream() : Files.newInputStream(file)));
        }
        if (!done.text().isEmpty()) {
            System.out.println(done.text());
        }
        done.jobs().forEach(j -> System.out.println(j.text()));
        final boolean isTaken = job == null ? done.jobs().stream().noneMatch(j -> j.outcome() == LiveChange.Outcome.REFUSED)
            : !done.jobs().isEmpty() && done.jobs().stream().allMatch(LiveChange::isTaken);
        return isTaken ? ExitStatus.OK : ExitStatus.FAILED;
    }

    private static void check(final Path file) {
        if (!Files.isRegularFile(file)) {
            throw new CommandFailure(ExitStatus.USAGE, CommandFailure.notFound("file", file));
        }
    }

    /** Changes the modules of the cluster of a daemon; returns a text that says what was done. */
    static String change(final Contact cluster, final ModuleChange.Kind kind, final @Nullable String name, final @Nullable String version,
        final @Nullable Path file, final List<String> nodes, final boolean verify, final boolean force) throws IOException {
        final ProgramFile described = file == null ? null : ProgramFiles.describe(file);
        try (Client client = Client.connect(cluster)) {
            return client.ask(daemon -> daemon.change(new ModuleChange(kind, name, version, described, nodes, verify, force), force,
                file == null ? InputStream.nullInputStream() : Files.newInputStream(file)));
        }
    }

    /** Base of the commands that install the bundle of a module. */
    abstract static class FileChange extends ChangeCommand {
        private final ModuleChange.Kind kind;

        @Parameters(index = "0..*", arity = "1..*", paramLabel = "FILE",
            description = "the bundle of a module, a .jar; several are changed one after the other, until one is refused")
        private List<Path> files = new ArrayList<>();

        @Option(names = "--no-verify", description = "install the module without verifying its plans")
        private boolean unverified;

        FileChange(final ModuleChange.Kind kind) {
            this.kind = kind;
        }

        /** Returns whether a changed bundle may have the version of an installed one. */
        boolean isDevelopment() {
            return false;
        }

        /** Checks the options of the command. */
        void check() {
            checkJob();
        }

        /** Changes a module to that of a file; returns a status. */
        int change(final Path file, final boolean verify) throws IOException {
            return change(kind, null, null, file, verify);
        }

        @Override
        public final Integer call() throws Exception {
            check();
            files.forEach(ChangeCommand::check);
            final List<Path> done = new ArrayList<>();
            int status = ExitStatus.OK;
            for (final Path file : files) {
                try {
                    status = Math.max(status, isDevelopment() ? changeForDevelopment(file) : change(file, !unverified));
                } catch (final CommandFailure e) {
                    throw files.size() == 1 ? e
                        : new CommandFailure(e.status(), file + ": " + e.getMessage() + (done.isEmpty() ? "" : "; changed before: "
                            + done.stream().map(Path::toString).collect(Collectors.joining(", "))), e);
                }
                done.add(file);
            }
            return status;
        }

        private int changeForDevelopment(final Path file) throws IOException {
            final Path copy = DevelopmentBundle.of(file);
            try {
                return change(ModuleChange.Kind.INSTALL, null, null, copy, !unverified);
            } finally {
                TempFolders.delete(Objects.requireNonNull(copy.getParent(), "folder of the copy"));
            }
        }
    }

    /** {@code tutti install}. */
    @Command(name = "install", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Installs a module on every node; jobs use it once all their nodes have it.")
    static final class Install extends FileChange {
        @Option(names = "--dev",
            description = {"install a changed bundle although its version is installed: the version gets the time as its qualifier,",
                "and replaces the others; for the loop of edit, build and run"})
        private boolean development;

        Install() {
            super(ModuleChange.Kind.INSTALL);
        }

        @Override
        boolean isDevelopment() {
            return development;
        }
    }

    /** {@code tutti update}. */
    @Command(name = "update", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Installs a module on every node and removes its other versions once no job uses them.")
    static final class Update extends FileChange {
        private static final double DEFAULT_BUDGET = 0.03;

        @Option(names = "--canary", paramLabel = "SHARE", converter = Share.class,
            description = {"with --live: jobs first compare it with the version before, on this share of their calls at the most, 5%% for example;",
                "it replaces that version when no result differs and no call is slower; else it is removed, and quarantined where one is"})
        private @Nullable Double canary;

        @Option(names = "--budget", paramLabel = "SHARE", converter = Share.class,
            description = "with --canary: the share of their time that jobs may lose by it, by default 3%%")
        private @Nullable Double budget;

        @Spec
        private CommandSpec update;

        Update() {
            super(ModuleChange.Kind.UPDATE);
        }

        @Override
        void check() {
            super.check();
            if (canary != null) {
                checkTrial();
            } else if (budget != null) {
                throw new ParameterException(update.commandLine(), "--budget needs --canary");
            }
        }

        @Override
        int change(final Path file, final boolean verify) throws IOException {
            return canary == null ? super.change(file, verify) : tryOut(file, canary, budget == null ? DEFAULT_BUDGET : budget, verify);
        }
    }

    /** A share in percent, above 0 and at most 100. */
    private static final class Share implements ITypeConverter<Double> {
        private static final double PERCENT = 100;

        @Override
        public Double convert(final String text) {
            try {
                final double share = Double.parseDouble(text.endsWith("%") ? text.substring(0, text.length() - 1) : text) / PERCENT;
                if (text.endsWith("%") && share > 0 && share <= 1) {
                    return share;
                }
            } catch (final NumberFormatException e) {
                throw new TypeConversionException(wrong(text));
            }
            throw new TypeConversionException(wrong(text));
        }

        private static String wrong(final String text) {
            return "not a share: '" + text + "', expected more than 0% and at most 100%";
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
