package tutti.runtime.model;

/** The error classes of MPI. The code is the number that programs see. */
public enum ErrorClass {
    /** No error. */
    SUCCESS("no error"),
    /** Bad buffer. */
    BUFFER("invalid buffer"),
    /** Bad count. */
    COUNT("invalid count"),
    /** Bad datatype. */
    TYPE("invalid datatype"),
    /** Bad tag. */
    TAG("invalid tag"),
    /** Bad communicator. */
    COMM("invalid communicator"),
    /** Bad rank. */
    RANK("invalid rank"),
    /** Bad request. */
    REQUEST("invalid request"),
    /** Bad root. */
    ROOT("invalid root"),
    /** Bad group. */
    GROUP("invalid group"),
    /** Bad operation. */
    OP("invalid reduce operation"),
    /** Bad topology. */
    TOPOLOGY("invalid communicator topology"),
    /** Bad dimensions. */
    DIMS("invalid topology dimension"),
    /** Bad argument. */
    ARG("invalid argument of some other kind"),
    /** Unknown. */
    UNKNOWN("unknown error"),
    /** Truncated. */
    TRUNCATE("message truncated"),
    /** Other. */
    OTHER("known error not in list"),
    /** Internal. */
    INTERN("internal error"),
    /** In status. */
    IN_STATUS("error code in status"),
    /** Pending. */
    PENDING("pending request"),
    /** Bad info key. */
    INFO_KEY("invalid info key", 31),
    /** Bad info value. */
    INFO_VALUE("invalid info value", 33),
    /** Name is not published. */
    NAME("name is not published", 38),
    /** Bad port. */
    PORT("invalid port name", 43),
    /** Service cannot be published or removed. */
    SERVICE("service is not published", 48),
    /** Processes were not spawned. */
    SPAWN("processes could not be spawned", 50),
    /** Bad assertion. */
    ASSERT("invalid assert", 22),
    /** Bad displacement. */
    DISP("invalid displacement", 26),
    /** Bad type of a lock. */
    LOCKTYPE("invalid lock type", 37),
    /** No memory. */
    NO_MEM("out of memory", 39),
    /** A call that does not fit to the epoch of a window. */
    RMA_SYNC("wrong synchronization of a window", 47),
    /** Bad size. */
    SIZE("invalid size", 49),
    /** Bad window. */
    WIN("invalid window", 53),
    /** Memory that is not part of a window. */
    RMA_RANGE("memory is not part of the window", 68),
    /** Memory that cannot be attached to a window. */
    RMA_ATTACH("memory cannot be attached to the window", 69),
    /** A call that a window of another flavor has. */
    RMA_FLAVOR("window of the wrong flavor", 70),
    /** Memory that cannot be shared. */
    RMA_SHARED("memory cannot be shared", 71),
    /** A file that the system does not let the process access so. */
    ACCESS("permission denied", 20),
    /** Bad access mode of a file. */
    AMODE("invalid access mode", 21),
    /** Bad name of a file. */
    BAD_FILE("invalid file name", 23),
    /** A file that was to be created. */
    FILE_EXISTS("file exists", 28),
    /** Bad file. */
    FILE("invalid file handle", 30),
    /** An access to a file failed. */
    IO("input or output error", 35),
    /** Arguments of a collective call that differ on ranks. */
    NOT_SAME("collective arguments are not the same", 40),
    /** No space on a disk. */
    NO_SPACE("no space left on device", 41),
    /** A file that is not there. */
    NO_SUCH_FILE("no such file", 42),
    /** A quota of a user. */
    QUOTA("quota exceeded", 44),
    /** A file, or a file system, that cannot be written. */
    READ_ONLY("file is read only", 45),
    /** Bad data representation. */
    UNSUPPORTED_DATAREP("unsupported data representation", 51),
    /** An operation that a file opened in this mode does not have. */
    UNSUPPORTED_OPERATION("unsupported operation", 52),
    /** A rank that the call needs has failed. */
    PROC_FAILED("a rank has failed", 75),
    /** A rank that could have sent the message has failed, and the request is still active. */
    PROC_FAILED_PENDING("a possible sender has failed, and the request is still active", 76),
    /** The communicator has been revoked. */
    REVOKED("communicator has been revoked", 77);

    private final String text;
    private final int code;

    ErrorClass(final String text) {
        this.text = text;
        this.code = ordinal();
    }

    ErrorClass(final String text, final int code) {
        this.text = text;
        this.code = code;
    }

    /** Returns the number of the class. */
    public int code() {
        return code;
    }

    /** Returns the meaning of the class in words. */
    public String text() {
        return text;
    }
}
