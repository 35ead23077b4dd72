package tutti.daemon.part;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tutti.daemon.channel.Conversation;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.launch.RankPlacement;

/** Client of a job on its coordinator's node, which receives the output of the job alone; standard input is at its end. */
public abstract class OutputClient implements JobClient {

    /** Receives a piece of output. May block. */
    protected abstract void receive(OutputPiece piece) throws IOException, InterruptedException;

    @Override
    public final void accepted(final String job) {
        // nobody asks for it
    }

    @Override
    public final void placed(final RankPlacement placement) {
        // nor for that
    }

    @Override
    public final CompletionStage<Void> output(final InputStream pieces) {
        return Conversation.result(() -> {
            for (OutputPiece piece = OutputPiece.read(pieces); piece != null; piece = OutputPiece.read(pieces)) {
                receive(piece);
            }
            return null;
        });
    }

    @Override
    public final CompletionStage<byte[]> input() {
        return CompletableFuture.completedStage(new byte[0]);
    }
}
