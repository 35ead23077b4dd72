package tutti.daemon.control;

import tutti.daemon.channel.ControlChannel;
import tutti.daemon.protocol.Message;

/**
 * The receiver of a job's messages and output: the command that requested the job, or the part of a job that spawned it. Safe for any thread; only
 * output may block.
 */
interface JobClient {

    /** Returns a command at the other end of a channel as a client. */
    static JobClient of(final ControlChannel channel) {
        return new JobClient() {
            @Override
            public void post(final Message message) {
                channel.post(message);
            }

            @Override
            public void postOutput(final int rank, final boolean error, final byte[] bytes) {
                channel.postOutput(rank, error, bytes, 0, bytes.length);
            }

            @Override
            public void postTrace(final int rank, final byte[] bytes) {
                channel.postTrace(rank, bytes);
            }

            @Override
            public void postProgramCredit(final int bytes) {
                channel.postProgramCredit(bytes);
            }

            @Override
            public void postInputCredit() {
                channel.postInputCredit();
            }

            @Override
            public void close() {
                channel.close();
            }
        };
    }

    /** Sends that the job was accepted, or is done. */
    void post(Message message);

    /** Sends output of a rank; the client returns credit for it. */
    void postOutput(int rank, boolean error, byte[] bytes);

    /** Sends a piece of a trace to a client that wants it; the client returns credit for it. */
    default void postTrace(final int rank, final byte[] bytes) {
        throw new IllegalStateException("the client does not want traces");
    }

    /** Returns credit for bytes of the program that were stored. */
    void postProgramCredit(int bytes);

    /** Requests one piece of standard input. */
    void postInputCredit();

    /** Ends the connection after all that was posted. */
    void close();
}
