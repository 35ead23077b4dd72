package tutti.daemon.part;

import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.container.program.ContainerProgram;
import tutti.daemon.jvm.JvmProcess;
import tutti.daemon.jvm.JvmSettings;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobHost;
import tutti.runtime.module.NodeModules;
import tutti.runtime.transport.Transport;

/**
 * Program of a job JVM: reads the line of settings that its node sends, and runs the parts of jobs that the node gives it. It ends when the file of
 * the line does: the node holds the other end, and a node that is gone holds it no more. Not used on nodes.
 */
@Component(property = ContainerProgram.NAME + "=" + JvmProcess.PROGRAM)
public final class JvmProgram implements ContainerProgram {
    private final BundleContext context;
    private final Transport transport;
    private final TransportRegistry registry;
    private final JobHost host;
    private final NodeModules modules;

    /** Creates the program of a JVM without a job. */
    @Activate
    public JvmProgram(final BundleContext context,
        @Reference(name = "transport", target = "(" + Transport.SCHEME + "=" + Endpoint.TCP + ")") final Transport transport,
        @Reference(name = "registry") final TransportRegistry registry, @Reference(name = "host") final JobHost host,
        @Reference(name = "modules") final NodeModules modules) {
        this.context = context;
        this.transport = transport;
        this.registry = registry;
        this.host = host;
        this.modules = modules;
    }

    @Override
    public void run(final Path folder) {
        try {
            // open as long as this JVM runs
            final InputStream in = new FileInputStream(JvmProcess.LINK);
            final JvmSettings settings = MessageCodec.read(readLine(in), JvmSettings.class);
            Thread.ofPlatform().daemon().name("tutti-node").start(() -> awaitEnd(in));
            new JvmNode(settings, context, transport, registry, host, modules).begin();
        } catch (final IOException e) {
            throw new IllegalStateException(Protocol.oneLine(e), e);
        }
    }

    private static String readLine(final InputStream in) throws IOException {
        final ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            line.write(b);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private static void awaitEnd(final InputStream in) {
        try {
            in.transferTo(OutputStream.nullOutputStream());
            end();
        } catch (final IOException e) {
            end();
        }
    }

    /** Ends this JVM and the processes that its programs have started. */
    static void end() {
        try {
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }
}
