package tutti.daemon.control;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.Conversation;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.health.ClusterHealth;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.monitor.ChangedModules;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.monitor.ModuleTrial;
import tutti.daemon.monitor.TuningRecord;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.Reply;
import tutti.daemon.security.Role;

/** Answers the requests of a command to this node. */
final class CommandRequests implements ClusterRequests {
    private final NodeServer node;
    private final Conversation.Gate gate;
    private final Role role;
    private final CompletionStage<?> closed;

    /**
     * Creates the requests of a command.
     *
     * @param gate   checks the role of the command
     * @param role   role of the command
     * @param closed completed when the link to the command is closed
     */
    CommandRequests(final NodeServer node, final Conversation.Gate gate, final Role role, final CompletionStage<?> closed) {
        this.node = node;
        this.gate = gate;
        this.role = role;
        this.closed = closed;
    }

    /** Returns the text of a reply, or refuses the request with it. */
    private static String text(final Reply reply) throws CallFailedException {
        if (reply.status() != ExitStatus.OK) {
            throw new CallFailedException(reply.status(), reply.text());
        }
        return reply.text();
    }

    private static CallFailedException noJob(final String job) {
        return new CallFailedException(ExitStatus.FAILED, "no such job: id=" + job + "; list them with: tutti ps");
    }

    @Override
    public CompletionStage<List<NodeReport>> nodes() {
        return Conversation.result(node.reports()::all);
    }

    @Override
    public CompletionStage<ClusterHealth> examine() {
        return Conversation.result(node.examination()::all);
    }

    @Override
    public CompletionStage<List<JobRecord>> jobs() {
        return Conversation.result(node.jobs()::histories);
    }

    @Override
    public CompletionStage<JobActivity> ranks(final String job) {
        return Conversation.result(() -> {
            final JobActivity ranks = node.jobs().findRanks(job);
            if (ranks == null) {
                throw noJob(job);
            }
            return ranks;
        });
    }

    @Override
    public CompletionStage<List<TuningRecord>> learnt() {
        return CompletableFuture.completedStage(node.jobs().learnt());
    }

    @Override
    public CompletionStage<List<HeldCheckpoint>> checkpoints() {
        return Conversation.result(node.checkpoints()::list);
    }

    @Override
    public CompletionStage<String> page() {
        return Conversation.result(() -> text(node.page().find(role)));
    }

    @Override
    public CompletionStage<String> pageFor(final Role wanted) {
        return Conversation.result(() -> {
            gate.check("page", wanted);
            return text(node.page().find(wanted));
        });
    }

    @Override
    public CompletionStage<String> cancel(final String job) {
        return Conversation.result(() -> {
            if (!node.jobs().cancelAnywhere(job)) {
                throw noJob(job);
            }
            return "";
        });
    }

    @Override
    public CompletionStage<String> checkpoint(final String job, final long limitMillis) {
        return Conversation.result(() -> text(node.checkpoints().take(job, limitMillis)));
    }

    @Override
    public CompletionStage<String> removeCheckpoints(final String series) {
        return Conversation.result(() -> text(node.checkpoints().remove(series)));
    }

    @Override
    public CompletionStage<String> change(final ModuleChange change, final boolean force, final InputStream file) {
        return withFile(change, file, stored -> text(node.modules().change(change, force, stored, closed)));
    }

    @Override
    public CompletionStage<ChangedModules> changeLive(final ModuleChange change, final boolean force, final String job, final InputStream file) {
        return withFile(change, file, stored -> node.modules().changeLive(change, force, job, stored, closed));
    }

    @Override
    public CompletionStage<ModuleTrial> tryLive(final ProgramFile module, final double share, final double budget, final boolean verify,
        final boolean force, final String job, final InputStream file) {
        final ModuleChange change = new ModuleChange(ModuleChange.Kind.TRY, null, null, module, List.of(), verify, force);
        return withFile(change, file, stored -> new LiveTrial(node.modules(), node.jobs(), job).run(change, share, budget, stored, closed));
    }

    /** Change of modules, whose file is stored; null for one without a file. */
    @FunctionalInterface
    private interface StoredChange<T> {
        T make(@Nullable Path file) throws IOException, InterruptedException;
    }

    /** Receives the file of a change, makes the change, and deletes the file. */
    private <T> CompletionStage<T> withFile(final ModuleChange change, final InputStream file, final StoredChange<T> code) {
        return Conversation.result(() -> {
            final ProgramFile described = change.file();
            if (described == null) {
                return code.make(null);
            }
            final Path folder = node.newFolder();
            try {
                final Path stored = Files.createDirectories(folder).resolve(described.name());
                ProgramFiles.store(described, file, stored);
                return code.make(stored);
            } catch (final IOException e) {
                throw e instanceof CallFailedException ? e : new CallFailedException(ExitStatus.FAILED, "node " + node.name() + ": "
                    + Protocol.oneLine(ModuleStore.notStored(described, folder, e)) + "; nothing was changed", e);
            } finally {
                TempFolders.delete(folder);
            }
        });
    }

    @Override
    public CompletionStage<String> join(final HostPort cluster) {
        return Conversation.result(() -> text(node.join(cluster)));
    }

    @Override
    public CompletionStage<String> stop(final List<String> nodes) {
        if (nodes.isEmpty()) {
            node.nodeStop().stopOthers();
            return stopHere();
        }
        for (final String name : nodes) {
            if (!name.equals(node.name()) && !node.nodeStop().stopOther(name)) {
                return CompletableFuture.failedStage(
                    new CallFailedException(ExitStatus.FAILED, "no such node: name=" + name + "; list them with: tutti nodes"));
            }
        }
        return nodes.contains(node.name()) ? stopHere() : CompletableFuture.completedStage("");
    }

    /** Stops this node once the command has been answered. */
    private CompletionStage<String> stopHere() {
        final CompletableFuture<String> answer = new CompletableFuture<>();
        Thread.ofVirtual().name("tutti-stop").start(() -> {
            answer.complete("");
            node.stop();
        });
        return answer;
    }
}
