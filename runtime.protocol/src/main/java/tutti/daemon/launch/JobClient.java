package tutti.daemon.launch;

import java.io.InputStream;
import java.util.concurrent.CompletionStage;

/**
 * Client of a job, for the node that coordinates it: the command that requested the job at the other end of a link, or on that node the part of a
 * job that spawned it. Safe for any thread.
 */
public interface JobClient {

    /** Receives the id of the job, which is accepted. Must not block. */
    void accepted(String job);

    /** Receives the placement of the job's ranks, if the request wants it, before they start. Must not block. */
    void placed(RankPlacement placement);

    /**
     * Reads the output of the job, {@link OutputPiece}s of standard output, errors and traces; completes when all is read. May block.
     *
     * @param pieces throttles the ranks while it is not read; when it is closed, all further output is dropped
     */
    CompletionStage<Void> output(InputStream pieces);

    /** Returns a piece of standard input, which rank 0 wants to read; empty at its end. May block. */
    CompletionStage<byte[]> input();
}
