package mpi;

/** Constants of class MPI that the shared classes need, too: they cannot access the class MPI of a program. */
final class Constants {
    static final int UNDEFINED = -32766;
    static final int CART = 1;
    static final int GRAPH = 2;
    static final int DIST_GRAPH = 3;
    static final int MAX_OBJECT_NAME = 64;
    static final int MAX_ERROR_STRING = 256;
    static final int MAX_INFO_KEY = 36;
    static final int MAX_INFO_VAL = 256;

    static final int IDENT = 0;
    static final int CONGRUENT = 1;
    static final int SIMILAR = 2;
    static final int UNEQUAL = 3;

    static final int SUCCESS = 0;
    static final int ERR_BUFFER = 1;
    static final int ERR_TYPE = 3;
    static final int ERR_COMM = 5;
    static final int ERR_REQUEST = 7;
    static final int ERR_GROUP = 9;
    static final int ERR_OP = 10;
    static final int ERR_ARG = 13;
    static final int ERR_OTHER = 16;
    static final int ERR_IN_STATUS = 18;
    static final int ERR_INFO_KEY = 31;
    static final int ERR_INFO_NOKEY = 32;
    static final int ERR_INFO_VALUE = 33;
    static final int ERR_INFO = 34;
    static final int ERR_KEYVAL = 36;
    static final int ERR_PROC_ABORTED = 74;
    static final int ERR_LASTCODE = 92;
    static final int ERR_SYSRESOURCE = -2;

    private Constants() {}
}
