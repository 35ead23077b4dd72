package tutti.daemon.channel;

/**
 * The type bytes of frames.
 *
 * <pre>
 * +----------+--------------------------------------------+
 * | PART     | a piece of JSON, of which more follows     |
 * | CALL     | int call | method | JSON of the arguments  |
 * | ANSWER   | int call | JSON of the result              |
 * | FAILED   | int call | JSON of status and text         |
 * | STREAM   | int call | byte kind | bytes               |
 * | GRANT    | int call | int bytes; 0 to stop            |
 * +----------+--------------------------------------------+
 * </pre>
 * Numbers are big-endian; a method is a byte with its length, and ASCII. The number of a call is 0 for a notice, and negative in frames of streams
 * of the receiver's calls.
 */
final class FrameType {
    static final byte PART = 1;
    static final byte CALL = 2;
    static final byte ANSWER = 3;
    static final byte FAILED = 4;
    static final byte STREAM = 5;
    static final byte GRANT = 6;

    private FrameType() {}
}
