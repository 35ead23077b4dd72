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
 * | others   | the JSON of a message, or its last piece   |
 * +----------+--------------------------------------------+
 * </pre>
 * Numbers are big-endian; module and media type are a byte with their length, and ASCII. The types of messages start at
 * {@link MessageCodec#FIRST_MESSAGE}.
 */
final class FrameType {
    static final byte PART = 1;
    static final byte PROGRAM = 2;
    static final byte OUTPUT = 3;
    static final byte CREDIT = 4;
    static final byte INPUT = 5;
    static final byte TRACE = 6;
    static final byte REPORT = 7;

    private FrameType() {}
}
