package tutti.daemon.channel;

import tutti.daemon.protocol.MessageCodec;

/**
 * The type bytes of frames.
 *
 * <pre>
 * +----------+--------------------------------------------+
 * | PART     | a piece of a message's JSON, more follow   |
 * | PROGRAM  | int file index | bytes of a program file   |
 * | OUTPUT   | int rank | byte error | bytes              |
 * | CREDIT   | byte PROGRAM, OUTPUT or INPUT | int bytes   |
 * | INPUT    | bytes of standard input; empty at its end  |
 * | TRACE    | int rank | bytes of its trace              |
 * | REPORT   | byte last | module | media type | bytes  |
 * | CALL     | int call | method | JSON of the arguments  |
 * | ANSWER   | int call | JSON of the result             |
 * | FAILED   | int call | JSON of status and text        |
 * | STREAM   | int call | byte kind | bytes              |
 * | GRANT    | int call | int bytes; 0 to stop           |
 * | others   | the JSON of a message, or its last piece   |
 * +----------+--------------------------------------------+
 * </pre>
 * Numbers are big-endian; method, module and media type are a byte with their length, and ASCII. The types of messages start at
 * {@link MessageCodec#FIRST_MESSAGE}. The number of a call is 0 for a notice, and negative in frames of streams of the receiver's calls.
 */
final class FrameType {
    static final byte PART = 1;
    static final byte PROGRAM = 2;
    static final byte OUTPUT = 3;
    static final byte CREDIT = 4;
    static final byte INPUT = 5;
    static final byte TRACE = 6;
    static final byte REPORT = 7;
    static final byte CALL = 8;
    static final byte ANSWER = 9;
    static final byte FAILED = 10;
    static final byte STREAM = 11;
    static final byte GRANT = 12;

    private FrameType() {}
}
