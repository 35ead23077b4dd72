package tutti.daemon.part;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Conversation;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.job.JobSpec;

/** Server of a job's part on this node, on the link of a coordinator on another node. */
public final class JobNodeServer implements JobNode, ControlChannel.CloseListener {
    private final NodeParts parts;
    private final Path folder;
    private final PreparablePart part;
    private final AtomicBoolean isTaken = new AtomicBoolean();

    /** Creates the server of a channel, for the part of a place of a job. */
    public JobNodeServer(final ControlChannel channel, final NodeParts parts, final String place) {
        this.parts = parts;
        this.folder = parts.newFolder();
        this.part = parts.create(channel.conversation().peer(PartListener.class), place, folder);
        channel.conversation().serve(JobNode.class, this).serve(JobPart.class, part);
    }

    @Override
    public CompletionStage<PreparedPart> prepare(final Preparation order, final InputStream files) {
        return Conversation.result(() -> {
            if (isTaken.getAndSet(true)) {
                // Cause: a breach of the protocol; a [bound](security.md#bounds-of-a-node). Remedy: run the same release everywhere, or report it.
                throw new CallFailedException(ExitStatus.FAILED, "a link has one part of a job");
            }
            try {
                parts.checkRoom();
                final JobSpec spec = order.spec(ProgramFiles.store(order.files(), files, folder));
                final String cancelled = part.cancelled();
                if (cancelled != null) {
                    throw new CallFailedException(ExitStatus.CANCELLED, cancelled);
                }
                return part.prepare(order, spec);
            } catch (final IOException | RuntimeException e) {
                // also values of the order that do not fit each other
                TempFolders.delete(folder);
                throw e instanceof CallFailedException ? e : new CallFailedException(ExitStatus.FAILED, Protocol.oneLine(e), e);
            }
        });
    }

    @Override
    public void closed(final String reason) {
        Thread.ofVirtual().name("tutti-part-lost").start(() -> {
            part.endSpawned("the job that spawned it has lost its coordinator: " + reason);
            part.cancel("the node that launched the job is gone: " + reason);
            TempFolders.delete(folder);
        });
    }
}
