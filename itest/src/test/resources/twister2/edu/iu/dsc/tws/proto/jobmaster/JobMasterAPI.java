package edu.iu.dsc.tws.proto.jobmaster;

/** Stands for a class that Twister2 generates with protobuf and does not publish: all that its channel asks for is the number of a worker. */
public final class JobMasterAPI {
    private JobMasterAPI() {}

    public static final class WorkerInfo {
        private final int id;

        public WorkerInfo(final int id) {
            this.id = id;
        }

        public int getWorkerID() {
            return id;
        }
    }
}
