package mpi;

import org.jspecify.annotations.Nullable;

/** The names and meanings of the predefined error classes. */
final class ErrorNames {
    /** Name and meaning by the number of the class. */
    private static final String[] NUMBERED = {
        "SUCCESS|no error",
        "ERR_BUFFER|invalid buffer",
        "ERR_COUNT|invalid count",
        "ERR_TYPE|invalid datatype",
        "ERR_TAG|invalid tag",
        "ERR_COMM|invalid communicator",
        "ERR_RANK|invalid rank",
        "ERR_REQUEST|invalid request",
        "ERR_ROOT|invalid root",
        "ERR_GROUP|invalid group",
        "ERR_OP|invalid reduce operation",
        "ERR_TOPOLOGY|invalid communicator topology",
        "ERR_DIMS|invalid topology dimension",
        "ERR_ARG|invalid argument of some other kind",
        "ERR_UNKNOWN|unknown error",
        "ERR_TRUNCATE|message truncated",
        "ERR_OTHER|known error not in list",
        "ERR_INTERN|internal error",
        "ERR_IN_STATUS|error code in status",
        "ERR_PENDING|pending request",
        "ERR_ACCESS|permission denied",
        "ERR_AMODE|invalid access mode",
        "ERR_ASSERT|invalid assert",
        "ERR_BAD_FILE|invalid file name",
        "ERR_BASE|invalid base",
        "ERR_CONVERSION|error in data conversion",
        "ERR_DISP|invalid displacement",
        "ERR_DUP_DATAREP|data representation is defined already",
        "ERR_FILE_EXISTS|file exists",
        "ERR_FILE_IN_USE|file is in use",
        "ERR_FILE|invalid file handle",
        "ERR_INFO_KEY|invalid info key",
        "ERR_INFO_NOKEY|info key is not defined",
        "ERR_INFO_VALUE|invalid info value",
        "ERR_INFO|invalid info object",
        "ERR_IO|input or output error",
        "ERR_KEYVAL|invalid attribute key",
        "ERR_LOCKTYPE|invalid lock type",
        "ERR_NAME|name is not published",
        "ERR_NO_MEM|out of memory",
        "ERR_NOT_SAME|collective arguments are not the same",
        "ERR_NO_SPACE|no space left on device",
        "ERR_NO_SUCH_FILE|no such file",
        "ERR_PORT|invalid port name",
        "ERR_QUOTA|quota exceeded",
        "ERR_READ_ONLY|file is read only",
        "ERR_RMA_CONFLICT|conflicting accesses to a window",
        "ERR_RMA_SYNC|wrong synchronization of a window",
        "ERR_SERVICE|service is not published",
        "ERR_SIZE|invalid size",
        "ERR_SPAWN|processes could not be spawned",
        "ERR_UNSUPPORTED_DATAREP|unsupported data representation",
        "ERR_UNSUPPORTED_OPERATION|unsupported operation",
        "ERR_WIN|invalid window"};
    private static final String PROC_ABORTED = "ERR_PROC_ABORTED|operation failed because a process was aborted";
    private static final String SYSRESOURCE = "ERR_SYSRESOURCE|out of system resources";
    private static final String LASTCODE = "ERR_LASTCODE|last error code of the library";

    private ErrorNames() {}

    private static @Nullable String entry(final int code) {
        return switch (code) {
            case MPI.ERR_RMA_RANGE -> "ERR_RMA_RANGE|memory is not part of the window";
            case MPI.ERR_RMA_ATTACH -> "ERR_RMA_ATTACH|memory cannot be attached to the window";
            case MPI.ERR_RMA_FLAVOR -> "ERR_RMA_FLAVOR|window of the wrong flavor";
            case MPI.ERR_RMA_SHARED -> "ERR_RMA_SHARED|memory cannot be shared";
            case MPI.ERR_PROC_ABORTED -> PROC_ABORTED;
            case MPI.ERR_PROC_FAILED -> "ERR_PROC_FAILED|a rank has failed";
            case MPI.ERR_PROC_FAILED_PENDING -> "ERR_PROC_FAILED_PENDING|a possible sender has failed, and the request is still active";
            case MPI.ERR_REVOKED -> "ERR_REVOKED|communicator has been revoked";
            case MPI.ERR_SYSRESOURCE -> SYSRESOURCE;
            case MPI.ERR_LASTCODE -> LASTCODE;
            default -> code < 0 || code >= NUMBERED.length ? null : NUMBERED[code];
        };
    }

    /** Returns the name of an error class, {@code MPI_ERR_RANK} for example; null if the class is not predefined. */
    static @Nullable String of(final int code) {
        final String entry = entry(code);
        return entry == null ? null : "MPI_" + entry.substring(0, entry.indexOf('|'));
    }

    /** Returns name and meaning of a code; for a code that is not predefined, the number. */
    static String text(final int code) {
        final String entry = entry(code);
        return entry == null ? "error code " + code : of(code) + ": " + entry.substring(entry.indexOf('|') + 1);
    }
}
