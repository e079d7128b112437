import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage;
import scala.collection.immutable.Seq;

/** Spark's own commit protocol, which waits before a task's commit or a job's, as held.at says. */
public class HeldCommit extends BASE {
    private final String path;

    public HeldCommit(String job, String path, boolean dynamic) {
        super(job, path, dynamic);
        this.path = path;
    }

    @Override
    public TaskCommitMessage commitTask(TaskAttemptContext context) {
        hold("task", context.getConfiguration());
        return super.commitTask(context);
    }

    @Override
    public void commitJob(JobContext context, Seq<TaskCommitMessage> messages) {
        hold("job", context.getConfiguration());
        super.commitJob(context, messages);
    }

    /** Waits as long as there is the file, whose name begins with that of the table. */
    private void hold(String where, Configuration settings) {
        if (!where.equals(settings.get("held.at"))) {
            return;
        }
        String table = new org.apache.hadoop.fs.Path(path).getParent().getName();
        Path held = Path.of(settings.get("held.in"), table + " " + UUID.randomUUID());
        try {
            Files.createFile(held);
            while (Files.exists(held)) {
                if (TaskContext.get() != null) {
                    TaskContext.get().killTaskIfInterrupted();
                }
                Thread.sleep(20);
            }
        } catch (java.io.IOException | InterruptedException ended) {
            throw new RuntimeException(ended);
        }
    }
}
